"""Which files decide what a check says, in the ecosystems people work in."""

from goalkeeper.core.contract.protected import (
    Role,
    is_checking_name,
    is_launcher,
    is_partly,
    is_runner_file,
    is_test,
    role_of_path,
)
from tests.tables import for_each

# Product code: a goal is there to change it.
PRODUCT = """
    src/app.py src/app/__init__.py src/contest.py src/latest.py src/testing.py src/attest.py
    src/protest/core.py lib/test-utils/index.js src/testimony.py greatest_hits.py src/spec.py
    src/inspect/specimen.rb src/special.ts src/snapshot.py src/goldenrod.py src/latest.ts
    main.go cmd/tool/main.go pkg/contest/contest.go internal/testable/run.go
    src/lib.rs src/main.rs src/parser/latest.rs build.rs
    src/main/java/org/example/App.java src/main/java/org/example/Contest.java
    src/main/kotlin/Fastest.kt Sources/App/main.swift Sources/App/Latest.swift
    app/models/user.rb lib/tasks/deploy.rake app/Http/Kernel.php lib/app.ex lib/main.dart
    src/index.ts src/components/Button.tsx src/components/Button.vue index.html style.css
    README.md docs/index.md docs/testing.md LICENSE CHANGELOG.md
    Makefile Rakefile justfile Dockerfile pyproject.toml package.json package-lock.json go.mod
    Cargo.toml Gemfile pom.xml build.gradle build.gradle.kts settings.gradle gradle.properties
    tsconfig.json CMakeLists.txt webpack.config.js rollup.config.mjs cargo/config.toml go.work.md
    src/babel.ts src/envrc.py src/python-version.txt vitest.md
    scripts/build.sh scripts/release.py bin/run src/circleci/client.py src/github/api.py
    docs/.github-notes.md src/goalkeeper/core.py
    """

TESTS = """
    tests/test_app.py tests/unit/test_deep.py test/app_test.py test_app.py src/app_test.py
    src/pkg/tests/test_x.py tests/helpers.py tests/__init__.py app/tests.py src/test.py
    main_test.go pkg/deep/x_test.go
    tests/integration.rs src/parser/tests.rs src/parser_test.rs
    src/app.test.js src/app.spec.ts src/app.test.tsx src/app.spec.mjs src/__tests__/app.js
    src/app.e2e-spec.ts e2e/login.ts cypress/e2e/login.cy.js test.js
    src/test/java/org/example/AppTest.java AppTests.java AppIT.java src/AppTest.kt
    App.Tests/AppTests.cs src/test/scala/AppSpec.scala
    Tests/AppTests/AppTests.swift Tests/AppTests/Helper.swift
    spec/models/user_spec.rb spec/spec_helper.rb lib/user_spec.rb test/user_test.rb
    tests/UserTest.php src/UserTest.php test/app_test.exs test/widget_test.dart
    spec/app_spec.lua t/basic.t lib/basic.t tests/run.bats deploy.bats tests/run.sh test_x.sh
    src/app_test.c src/app_test.cc src/app_unittest.cc tests/app.cpp tests/app.h
    tests web/e2e src/__tests__
    """

DATA = """
    tests/data/rows.csv tests/fixtures/a.json test/fixtures/users.yml spec/fixtures/a.xml
    tests/expected.txt tests/README.md pkg/testdata/a.golden testdata/in.json test_data/x
    src/__snapshots__/App.test.js.snap tests/__snapshots__/test_a.ambr golden/out.txt
    src/golden/a.json tests/cassettes/api.yaml snapshots/home.png src/a.snap src/b.golden
    src/Report.approved.txt golden pkg/testdata
    """

HARNESS = """
    conftest.py tests/conftest.py src/deep/conftest.py pytest.ini .pytest.ini pytest.toml tox.ini
    setup.cfg noxfile.py .coveragerc sitecustomize.py src/usercustomize.py pytest.py
    src/unittest.py _pytest/main.py vendor/_pytest/hooks.py
    jest.config.js jest.config.json jest.config.cjs jest.setup.js packages/a/jest.config.ts
    vitest.config.mts vite.config.ts playwright.config.ts karma.conf.js cypress.config.ts
    ava.config.js .mocharc.yml .mocharc.js .nycrc .nycrc.json .c8rc.json .taprc
    ruff.toml .ruff.toml .flake8 mypy.ini .mypy.ini .pylintrc pylintrc .eslintrc .eslintrc.json
    eslint.config.mjs .eslintignore biome.json biome.jsonc .golangci.yml .rspec phpunit.xml
    phpunit.xml.dist .npmrc
    .pytest.toml pyrightconfig.json .rubocop.yml .prettierrc .prettierignore prettier.config.mjs
    .shellcheckrc .pre-commit-config.yaml
    babel.config.js babel.config.json .babelrc .babelrc.json .swcrc bunfig.toml .yarnrc.yml
    vitest.workspace.ts vitest.workspace.json vitest.setup.ts src/setupTests.ts nyc.config.cjs
    web-test-runner.config.mjs .c8rc
    .cargo/config.toml crates/a/.cargo/config nextest.toml .config/nextest.toml rust-toolchain
    rust-toolchain.toml go.work .mvn/maven.config .mvn/wrapper/maven-wrapper.properties mvnw
    mvnw.cmd gradlew gradlew.bat gradle/wrapper/gradle-wrapper.jar testng.xml
    gradle/wrapper/gradle-wrapper.properties CMakePresets.json CMakeUserPresets.json
    CTestConfig.cmake CTestCustom.cmake CTestCustom.cmake.in .bazelrc
    .rspec-local phpunit.dist.xml .proverc .busted dart_test.yaml ci.runsettings All.xctestplan
    .python-version .node-version .nvmrc .ruby-version .java-version .tool-versions mise.toml
    .sdkmanrc .envrc .gitattributes src/.gitattributes
    """

CI = """
    .github/workflows/ci.yml .github/CODEOWNERS .circleci/config.yml .ci/run.sh
    .buildkite/pipeline.yml .gitlab-ci.yml .travis.yml azure-pipelines.yml Jenkinsfile
    appveyor.yml sub/.gitlab-ci.yml
    """

STATE = """
    .goalkeeper/config.toml .goalkeeper/runs/20260101-000000-abcd/ledger.jsonl .goalkeeper
    .goalkeeper/tests/test_a.py
    """


@for_each("path", PRODUCT.split())
def test_product_code_has_no_role(path: str) -> None:
    assert role_of_path(path) is None


@for_each(
    ("path", "expected"),
    [
        *((path, Role.TEST) for path in TESTS.split()),
        *((path, Role.DATA) for path in DATA.split()),
        *((path, Role.HARNESS) for path in HARNESS.split()),
        *((path, Role.CI) for path in CI.split()),
        *((path, Role.STATE) for path in STATE.split()),
    ],
)
def test_what_decides_a_check_has_a_role(path: str, expected: Role) -> None:
    assert role_of_path(path) is expected
    assert is_test(path) is (expected is Role.TEST)


@for_each(
    ("path", "expected"),
    [
        ("pyproject.toml", True),
        ("packages/a/package.json", True),
        ("package-lock.json", False),
        ("src/pyproject.toml.py", False),
    ],
)
def test_of_some_files_only_a_part_decides(path: str, expected: bool) -> None:
    assert is_partly(path) is expected


@for_each(
    ("path", "program", "expected"),
    [
        ("Makefile", "make", True),
        ("makefile", "/usr/bin/make", True),
        ("GNUmakefile", "gmake", True),
        ("build/rules.mk", "make", True),
        ("justfile", "just", True),
        (".justfile", "just", True),
        ("Taskfile.yml", "task", True),
        ("Taskfile.dist.yaml", "task", True),
        ("tools/more.just", "just", True),
        ("Rakefile", "rake", True),
        ("lib/tasks/suite.rake", "rake", True),
        ("tsconfig.json", "tsc", True),
        ("web/tsconfig.build.json", "node_modules/.bin/vue-tsc", True),
        ("jsconfig.json", "tsc", True),
        ("tsconfig.json", "vitest", False),
        ("src/tsconfig.ts", "tsc", False),
        ("Makefile", "just", False),
        ("Makefile", "python", False),
        ("src/makefile.py", "make", False),
        ("Makefile", "", False),
    ],
)
def test_a_runner_takes_its_orders_from_its_own_files(
    path: str, program: str, expected: bool
) -> None:
    assert is_runner_file(path, program) is expected


@for_each(
    ("path", "expected"),
    [
        ("scripts/check.sh", True),
        ("tools/verify_rows.py", True),
        ("bin/run-tests", True),
        ("ci/run.sh", True),
        ("scripts/Lint.py", True),
        ("bin/serve", False),
        ("scripts/precision.py", False),
    ],
)
def test_a_program_that_checks_is_known_by_its_name(path: str, expected: bool) -> None:
    assert is_checking_name(path) is expected


@for_each(
    ("program", "expected"),
    [
        ("python3", True),
        ("/usr/bin/python3.12", True),
        ("sh", True),
        ("timeout", True),
        ("npx", True),
        ("bats", True),
        ("grep", False),
        ("make", False),
        ("pythonize", False),
        ("", False),
    ],
)
def test_some_programs_run_what_they_are_given(program: str, expected: bool) -> None:
    assert is_launcher(program) is expected
