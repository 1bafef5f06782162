import click


@click.command()
def command() -> None:
    """X."""
