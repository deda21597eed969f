import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandText } from './command.ts'
import { took } from './cpu-time.test-kit.ts'
import { parseTestRun } from './test-run.ts'

describe('test command', () => {
  it.each([
    ['npm test', 'script'],
    ['npm run test:unit -- --run', 'script'],
    ['pnpm -r test', 'script'],
    ['yarn test', 'script'],
    ['npx vitest run src/a.test.ts', 'script'],
    ['npx --yes jest', 'script'],
    ['./node_modules/.bin/mocha', 'script'],
    ['node --test', 'script'],
    ['bun test', 'script'],
    ['npx playwright test', 'script'],
    ['cargo test --workspace', 'rust'],
    ['cargo +nightly nextest run', 'rust'],
    ['RUST_BACKTRACE=1 timeout 60 cargo test', 'rust'],
    ['pytest -q', 'python'],
    ['python3 -m pytest tests', 'python'],
    ['uv run pytest', 'python'],
    ['python manage.py test', 'python'],
    ['go test ./...', 'go'],
    ['./gradlew test', 'java'],
    ['mvn -q verify', 'java'],
    ['bundle exec rspec', 'ruby'],
    ['vendor/bin/phpunit', 'php'],
    ['dotnet test', 'dotnet'],
    ['make check', 'any'],
    ['cd app && npm test 2>&1 | tail -20', 'script'],
    ['bash -lc "cd app; cargo test"', 'rust'],
    ['if cargo test; then echo fine; fi', 'rust'],
    ['(cd a && go test ./...)', 'go'],
    ['npm --prefix app test', 'script'],
    ['pnpm --filter web run test:unit', 'script'],
    ['yarn workspace web test', 'script'],
    ['deno task test', 'script'],
    ['PYTHONPATH=. python3.12 -m pytest', 'python'],
    ['uv run --with x pytest', 'python'],
    ['docker compose run --rm app pytest -q', 'python'],
    ['docker exec app npm test', 'script'],
    ['./run-tests.sh', 'any'],
    ['bash scripts/test.sh', 'any'],
  ])('%s runs tests', (line, family) => {
    expect(parseTestRun(line)?.family).toBe(family)
  })

  it.each([
    'echo "npm test"',
    'grep -rn "cargo test" docs',
    'git commit -m "run npm test; cargo test"',
    'cat > run.sh <<EOF\nnpm test\ncargo test\nEOF',
    "cat <<'END' | tee notes.md\npytest\nEND",
    '# npm test',
    'npm run build',
    'npm install jest',
    'cargo test --no-run',
    'vitest --version',
    'pytest --collect-only',
    'go build ./...',
    'ls tests',
    'which pytest',
    'npm run testimonials',
    'docker ps',
    'docker build -t test .',
    'test -f a && echo yes',
    'npx vitest list',
    'mkdir test',
    'python train.py',
    '',
  ])('%s does not run tests', (line) => {
    expect(parseTestRun(line)).toBeUndefined()
  })

  it('is alone if nothing else in its line can fail', () => {
    expect(parseTestRun('cd app && npm test | tail -5')?.alone).toBe(true)
    expect(parseTestRun('npm test && npm run lint')?.alone).toBe(false)
    expect(parseTestRun('npm run build && npm test')?.endsIt).toBe(true)
    expect(parseTestRun('npm test > out.txt; echo $?')?.endsIt).toBe(false)
  })

  it('is found in the shell input of each agent', () => {
    expect(commandText({ command: 'npm test' })).toBe('npm test')
    expect(commandText({ cmd: 'npm test' })).toBe('npm test')
    expect(commandText({ command: ['bash', '-lc', 'npm test'] })).toBe('npm test')
    expect(parseTestRun(commandText({ command: ['npm', 'run', 'test'] }) ?? '')?.family).toBe('script')
    expect(parseTestRun(commandText({ command: ['echo', 'a; npm test'] }) ?? '')).toBeUndefined()
    expect(commandText({ file_path: 'a' })).toBeUndefined()
    expect(commandText(null)).toBeUndefined()
  })

  it('may be any text, in linear time', async () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'\'"\\|&;<>()# \nabnpm tes') }), (line) => {
        parseTestRun(line)
      }),
    )
    for (const part of ['"', "'", '<<A\n', '|', 'bash -c "', '\\', 'env ', '( ', 'npm '])
      expect(await took(() => parseTestRun(part.repeat(1_000_000 / part.length)))).toBeLessThan(1_500)
  })
})
