"""The modules become one script: what they name at the top must have one meaning in all of them."""

import re
from collections import Counter
from pathlib import Path

import arena

NAMED = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.M)


def test_top_names_are_unique() -> None:
    root = Path(arena.__file__).parent
    modules = [*root.glob("reports/html/static/*.js"), *root.glob("web/static/*.js")]
    names = Counter(name for module in modules for name in NAMED.findall(module.read_text()))
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def test_imports_name_what_the_other_exports() -> None:
    folder = Path(arena.__file__).parent / "reports/html/static"
    for module in folder.glob("*.js"):
        text = module.read_text()
        for named, source in re.findall(r'^import \{ (.*) \} from "\./(.*)";$', text, re.M):
            exported = set(
                re.findall(r"^export (?:async )?\w+ (\w+)", (folder / source).read_text(), re.M)
            )
            assert set(named.split(", ")) <= exported, f"{module.name} from {source}"
            for name in named.split(", "):
                assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{module.name}: {name} unused"
