S Three years ago I move from my village to the big city for study in university .
A 4 5|||Vt|||moved|||REQUIRED|||-NONE-|||0
A 12 13|||Prep|||to|||REQUIRED|||-NONE-|||0
A 14 15|||Prep|||at|||REQUIRED|||-NONE-|||0
A 15 16|||ArtOrDet|||a university|||REQUIRED|||-NONE-|||0

S At first time , everything was looked strange for me .
A 2 3|||Rloc-||||||REQUIRED|||-NONE-|||0
A 5 6|||Vform||||||REQUIRED|||-NONE-|||0
A 8 9|||Prep|||to|||REQUIRED|||-NONE-|||0

S The buildings are very high and there is too many cars on street .
A 7 8|||SVA|||are|||REQUIRED|||-NONE-|||0
A 12 12|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0

S In my village we are knowing all the people , but here nobody do n't say hello .
A 4 6|||Vform|||know|||REQUIRED|||-NONE-|||0
A 13 16|||Others|||says|||REQUIRED|||-NONE-|||0

S The life in the city is more convenient than village .
A 0 2|||ArtOrDet|||Life|||REQUIRED|||-NONE-|||0
A 9 9|||Prep|||in a||in the|||REQUIRED|||-NONE-|||0

S For example , supermarket near my dormitary open whole night .
A 3 3|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0
A 6 7|||Mec|||dormitory|||REQUIRED|||-NONE-|||0
A 7 8|||V0|||is open|||REQUIRED|||-NONE-|||0
A 8 9|||Wci|||all|||REQUIRED|||-NONE-|||0

S However , the rent is very expensive , therefore many students have to live together with other people .
A 8 9|||Srun|||so|||REQUIRED|||-NONE-|||0

S My roommate , which is from the north , cooks very spicy food every evening .
A 3 4|||Pref|||who|||REQUIRED|||-NONE-|||0

S Sometimes I miss the quiet of my village at night .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S But I think that city gives me more chances to develop my future .
A 4 4|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 4 5|||ArtOrDet|||the city|||REQUIRED|||-NONE-|||0

S Nowadays is very common that people eat in front of the television .
A 1 1|||Pform|||it|||REQUIRED|||-NONE-|||0

S In my country the people has the costume of make a long lunch with the family .
A 3 4|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 5 6|||SVA|||have|||REQUIRED|||-NONE-|||0
A 7 8|||Wci|||custom|||REQUIRED|||-NONE-|||0
A 9 10|||Vform|||having|||REQUIRED|||-NONE-|||0

S My grandmother always say that the good food needs time and patience .
A 3 4|||SVA|||says|||REQUIRED|||-NONE-|||0
A 5 6|||ArtOrDet||||||REQUIRED|||-NONE-|||0

S But now we are all the day in the office and we do n't have time for cook .
A 5 6|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 16 17|||Prep|||to|||REQUIRED|||-NONE-|||0

S A fast food is cheap , tasty and you do n't need to wait .
A 0 2|||ArtOrDet|||Fast|||REQUIRED|||-NONE-|||0

S The problem is that contains too much sugar and salt , what can to cause diseases as diabetes .
A 4 4|||Pform|||it|||REQUIRED|||-NONE-|||0
A 11 12|||Ssub|||which|||REQUIRED|||-NONE-|||0
A 13 14|||Vm||||||REQUIRED|||-NONE-|||0
A 16 17|||Prep|||such as|||REQUIRED|||-NONE-|||0

S Last year my doctor told to me that I must to lose weight becouse I had the cholesterol very high .
A 5 6|||Prep||||||REQUIRED|||-NONE-|||0
A 10 11|||Vm||||||REQUIRED|||-NONE-|||0
A 13 14|||Mec|||because|||REQUIRED|||-NONE-|||0
A 16 20|||WOinc|||very high cholesterol|||REQUIRED|||-NONE-|||0

S Since then , I have cooked at home almost every day .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I have learnt to prepare vegetables of many differents ways and I feel me better .
A 6 7|||Prep|||in|||REQUIRED|||-NONE-|||0
A 8 9|||Wform|||different|||REQUIRED|||-NONE-|||0
A 13 14|||Pform||||||REQUIRED|||-NONE-|||0

S In conclusion , if we organize better our time we will can eat healthy .
A 5 9|||WOadv|||organize our time better|||REQUIRED|||-NONE-|||0
A 10 12|||Vm|||can|||REQUIRED|||-NONE-|||0

S During pandemic all universities was closed and students studied by Internet .
A 1 1|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 1 2|||ArtOrDet|||the pandemic|||REQUIRED|||-NONE-|||0
A 4 5|||SVA|||were|||REQUIRED|||-NONE-|||0
A 9 10|||Prep|||over the||on the|||REQUIRED|||-NONE-|||0

S I was first-year student , and I did not know nobody in my group .
A 2 2|||ArtOrDet|||a|||REQUIRED|||-NONE-|||0
A 2 4|||ArtOrDet|||a first-year student|||REQUIRED|||-NONE-|||0
A 10 11|||Others|||anybody|||REQUIRED|||-NONE-|||0

S Teacher sent us presentations and we must read them by ourself .
A 0 1|||ArtOrDet|||The teacher||Our teacher|||REQUIRED|||-NONE-|||0
A 6 7|||Vm|||had to|||REQUIRED|||-NONE-|||0
A 10 11|||Pform|||ourselves|||REQUIRED|||-NONE-|||0

S When somebody asked question , connection often was interrupted .
A 3 3|||ArtOrDet|||a|||REQUIRED|||-NONE-|||0
A 3 4|||ArtOrDet|||a question|||REQUIRED|||-NONE-|||0
A 5 5|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0

S My notebook broke in second semester , so I used computer of my father .
A 4 4|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 10 14|||Npos|||my father 's computer|||REQUIRED|||-NONE-|||0

S It was difficult to concentrate on home , because of my little brother all time played loud .
A 5 6|||Prep|||at|||REQUIRED|||-NONE-|||0
A 9 10|||Ssub||||||REQUIRED|||-NONE-|||0
A 13 17|||WOinc|||played loudly all the time|||REQUIRED|||-NONE-|||0

S From other side , online lessons saved me lot of time what I earlier spent on the road .
A 0 3|||Wci|||On the other hand|||REQUIRED|||-NONE-|||0
A 8 8|||ArtOrDet|||a|||REQUIRED|||-NONE-|||0
A 8 9|||ArtOrDet|||a lot|||REQUIRED|||-NONE-|||0
A 11 12|||Ssub|||that|||REQUIRED|||-NONE-|||0

S I could listen lecture two times or more , if I did not understand something .
A 3 3|||Prep|||to the||to a|||REQUIRED|||-NONE-|||0

S Besides , some of my professors explained the material more clearly on video than in the classroom .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Also online studying is suitable for people , who have a work or childrens .
A 7 8|||Mec||||||REQUIRED|||-NONE-|||0
A 10 12|||Wci|||a job||work|||REQUIRED|||-NONE-|||0
A 13 14|||Nn|||children|||REQUIRED|||-NONE-|||0

S So I think that future of education is in combination of both formats .
A 4 4|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 4 5|||ArtOrDet|||the future|||REQUIRED|||-NONE-|||0
A 9 9|||ArtOrDet|||a||the|||REQUIRED|||-NONE-|||0

S The social media it has became very importent thing in the life of the young people .
A 0 2|||ArtOrDet|||Social|||REQUIRED|||-NONE-|||0
A 3 4|||Rloc-||||||REQUIRED|||-NONE-|||0
A 5 6|||Vform|||become|||REQUIRED|||-NONE-|||0
A 6 7|||ArtOrDet|||a very|||REQUIRED|||-NONE-|||0
A 7 8|||Mec|||important|||REQUIRED|||-NONE-|||0

S Every one use it for many hours in the day , even childs .
A 0 2|||Mec|||Everyone|||REQUIRED|||-NONE-|||0
A 2 3|||SVA|||uses|||REQUIRED|||-NONE-|||0
A 7 9|||Prep|||a|||REQUIRED|||-NONE-|||0
A 12 13|||Nn|||children|||REQUIRED|||-NONE-|||0

S My cousin have 14 years and he spends all his times in watching short videos .
A 2 5|||Wci|||is 14 years old||is 14|||REQUIRED|||-NONE-|||0
A 10 11|||Nn|||time|||REQUIRED|||-NONE-|||0
A 11 12|||Prep||||||REQUIRED|||-NONE-|||0

S He do not speaks with us in the dinner because his eyes always are in the phone .
A 1 4|||SVA|||does not speak|||REQUIRED|||-NONE-|||0
A 6 9|||Prep|||at dinner|||REQUIRED|||-NONE-|||0
A 14 15|||Prep|||on|||REQUIRED|||-NONE-|||0

S From my opinion , the fathers and the mothers should to put a rules for the using of phone .
A 0 1|||Prep|||In|||REQUIRED|||-NONE-|||0
A 10 11|||Vm||||||REQUIRED|||-NONE-|||0
A 12 13|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 16 17|||Wform|||use|||REQUIRED|||-NONE-|||0
A 18 18|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0

S Because it is harmful for the eyes and for the sleeping .
A 0 2|||Sfrag|||It|||REQUIRED|||-NONE-|||0
A 9 11|||Wform|||sleep|||REQUIRED|||-NONE-|||0

S Also there is a bad peoples in the Internet who lie about there names and ages .
A 2 3|||SVA|||are|||REQUIRED|||-NONE-|||0
A 3 4|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 5 6|||Nn|||people|||REQUIRED|||-NONE-|||0
A 6 7|||Prep|||on|||REQUIRED|||-NONE-|||0
A 12 13|||Mec|||their|||REQUIRED|||-NONE-|||0

S The companies they make the phone to be in the hand and the mind goes outside of it .
A 2 3|||Rloc-||||||REQUIRED|||-NONE-|||0

S In the other hand , the social media helps me to contact with my relatives which live abroad .
A 0 1|||Prep|||On|||REQUIRED|||-NONE-|||0
A 5 6|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 11 13|||Wci|||contact|||REQUIRED|||-NONE-|||0
A 15 16|||Pref|||who|||REQUIRED|||-NONE-|||0

S We can use it in a good way if we control our time .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Since five years I am living in Hamburg and I drive every day with the bicycle to work .
A 0 1|||Prep|||For|||REQUIRED|||-NONE-|||0
A 4 6|||Vt|||have been living|||REQUIRED|||-NONE-|||0
A 10 11|||Wci|||go|||REQUIRED|||-NONE-|||0
A 13 15|||Prep|||by|||REQUIRED|||-NONE-|||0

S Many people say , that the bicycle is slow and dangerously .
A 3 4|||Mec||||||REQUIRED|||-NONE-|||0
A 10 11|||Wform|||dangerous|||REQUIRED|||-NONE-|||0

S But when I compare the both , I become clear that the car costs me more money and nerves .
A 4 5|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 7 10|||Wci|||it becomes clear|||REQUIRED|||-NONE-|||0

S In the morning stay the cars in the traffic jam while I can drive past them .
A 3 6|||WOinc|||the cars stay||the cars are|||REQUIRED|||-NONE-|||0
A 7 8|||ArtOrDet|||a|||REQUIRED|||-NONE-|||0

S Riding through the park , the air is fresh and I can hear the birds .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S My colleague means that it would be better when the goverment would build more bicycle ways .
A 2 3|||Wci|||thinks||says|||REQUIRED|||-NONE-|||0
A 8 9|||Ssub|||if|||REQUIRED|||-NONE-|||0
A 10 11|||Mec|||government|||REQUIRED|||-NONE-|||0
A 11 13|||Vt|||built|||REQUIRED|||-NONE-|||0
A 15 16|||Wci|||paths||lanes|||REQUIRED|||-NONE-|||0

S According to a report of the city ( 2019 ) , every third accident happens by a crossing , by that a driver not looks to the right .
A 15 16|||Prep|||at|||REQUIRED|||-NONE-|||0
A 19 21|||Ssub|||because|||REQUIRED|||-NONE-|||0
A 23 25|||Vform|||does not look|||REQUIRED|||-NONE-|||0

S I have also bought me a helm and a yellow jacket , so the drivers see me better .
A 4 5|||Pform||||||REQUIRED|||-NONE-|||0
A 6 7|||Wci|||helmet|||REQUIRED|||-NONE-|||0

S It makes much fun , it is healthy , it costs nothing .
A 1 3|||Wci|||is a lot of|||REQUIRED|||-NONE-|||0
A 9 9|||Srun|||and|||REQUIRED|||-NONE-|||0

S For me stands fast that I will not more go with the car to the work .
A 2 4|||Wci|||it is clear|||REQUIRED|||-NONE-|||0
A 6 10|||Wci|||will no longer go|||REQUIRED|||-NONE-|||0
A 10 12|||Prep|||by|||REQUIRED|||-NONE-|||0
A 14 15|||ArtOrDet||||||REQUIRED|||-NONE-|||0

S I am working part time at cafe from last summer .
A 1 3|||Vt|||have been working|||REQUIRED|||-NONE-|||0
A 6 6|||ArtOrDet|||a|||REQUIRED|||-NONE-|||0
A 6 7|||ArtOrDet|||a cafe|||REQUIRED|||-NONE-|||0
A 7 8|||Prep|||since|||REQUIRED|||-NONE-|||0

S The reason why I started this job is because I wanted to challenge new thing .
A 13 15|||Nn|||new things|||REQUIRED|||-NONE-|||0

S At first , I was very nervous because customers speak very fast and my hearing is not good .
A 9 10|||Vt|||spoke|||REQUIRED|||-NONE-|||0
A 15 16|||Vt|||was|||REQUIRED|||-NONE-|||0

S One day , a man ordered coffee , I gave him tea by mistake , he became angry .
A 8 8|||Srun|||but|||REQUIRED|||-NONE-|||0
A 15 15|||Srun|||and|||REQUIRED|||-NONE-|||0

S I apologized to him many times and my boss teached me how to confirm the order again .
A 9 10|||Vform|||taught|||REQUIRED|||-NONE-|||0

S After that time , I write every orders in a small note .
A 5 6|||Vt|||wrote|||REQUIRED|||-NONE-|||0
A 7 8|||Nn|||order|||REQUIRED|||-NONE-|||0
A 11 12|||Wci|||notebook|||REQUIRED|||-NONE-|||0

S Thanks to this job , my comunication ability was improved and I could make many foreigner friends .
A 6 7|||Mec|||communication|||REQUIRED|||-NONE-|||0
A 8 10|||Vform|||improved||has improved|||REQUIRED|||-NONE-|||0
A 15 16|||Wform|||foreign|||REQUIRED|||-NONE-|||0

S If I would not work there , I will be still shy .
A 2 5|||Vt|||did not work|||REQUIRED|||-NONE-|||0
A 8 9|||Vm|||would|||REQUIRED|||-NONE-|||0

S The working is making the heart of student to be one size larger in the society life .
A 0 2|||ArtOrDet|||Working|||REQUIRED|||-NONE-|||0

S I recommend every student to experience the part time job at least one time .
A 6 7|||ArtOrDet|||a|||REQUIRED|||-NONE-|||0
A 12 14|||Wci|||once|||REQUIRED|||-NONE-|||0

S It is the experience that you can not get in university classroom .
A 2 3|||ArtOrDet|||an|||REQUIRED|||-NONE-|||0
A 10 10|||ArtOrDet|||a|||REQUIRED|||-NONE-|||0
A 10 12|||ArtOrDet|||a university classroom|||REQUIRED|||-NONE-|||0

S Of course , we should not forget our studies .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

