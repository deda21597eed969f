import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './command.ts'
import { run } from './setup/run.ts'

let folder = ''
beforeAll(async () => {
  // Vitest is only found inside of the clone.
  const cache = join(ROOT, '.cache')
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'test-run-'))
  const setup = (file: string) => JSON.stringify(join(ROOT, 'e2e', 'setup', file))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder, 'vitest.config.ts'),
    `import { watchLeftovers } from ${setup('leftovers.ts')}
    import SkippedTests from ${setup('skipped-tests.ts')}
    watchLeftovers()
    export default {
      test: {
        runner: ${setup('runner.ts')},
        reporters: ['default', new SkippedTests()],
        provide: { postgres: 'postgres://x', missingPostgres: 'There is no elephant.', nats: 'nats://here' },
      },
    }`,
  )
  await writeFile(
    join(folder, 'skips.test.ts'),
    `import { beforeAll, describe, expect, it } from 'vitest'
    import { MissingPart } from ${setup('parts.ts')}
    it('runs', () => expect(1).toBe(1))
    it('skips itself', ({ skip }) => skip('The moon is not full.'))
    it('needs a part', () => { throw new MissingPart('There is no whale.') })
    describe('a suite whose hook needs a part', () => {
      beforeAll(() => { throw new MissingPart('There is no whale.') })
      it('cannot start', () => expect(1).toBe(2))
    })`,
  )
  await writeFile(
    join(folder, 'servers.test.ts'),
    `import { afterAll, beforeAll, describe, expect, it } from 'vitest'
    import { sharedNats, sharedPostgres, useNats, usePostgres } from ${setup('shared-servers.ts')}
    it('needs no server', () => expect(1).toBe(1))
    it('needs NATS', () => expect(sharedNats()).toBe('nats://here'))
    it('needs PostgreSQL', () => expect(sharedPostgres()).toBe('nowhere'))
    describe('a suite on NATS', () => {
      const url = useNats()
      it('runs', () => expect(url).toBe('nats://here'))
    })
    describe('a suite on both', () => {
      beforeAll(() => { throw new Error('It was not to run.') })
      useNats()
      usePostgres()
      afterAll(() => { throw new Error('It has nothing to close.') })
      it('is skipped', () => expect(1).toBe(2))
    })`,
  )
  await writeFile(
    join(folder, 'leaves.test.ts'),
    `import { spawn } from 'node:child_process'
    import { mkdtempSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    import { it } from 'vitest'
    it('leaves a folder and a process', () => {
      mkdtempSync(join(tmpdir(), 'forgotten-'))
      spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref()
    })`,
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs Vitest as a separate process that knows nothing of this run. */
function runVitest(file: string, more: NodeJS.ProcessEnv = {}) {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' }
  for (const name of Object.keys(env)) if (/^PANOPTES_(TEST_RUN$|STRICT_)/.test(name)) delete env[name]
  const args = [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', file]
  return run(process.execPath, args, { seconds: 100, cwd: folder, env: { ...env, ...more } })
}

describe('a test run', { timeout: 240_000 }, () => {
  it('lists skipped tests with their reasons in its last lines, and passes', async () => {
    const { code, output } = await runVitest('skips.test.ts')
    const [, last] = output.split(/Duration .*\n/)
    expect(last?.trim().split('\n')).toEqual([
      'skips.test.ts > skips itself',
      '1 skipped: The moon is not full.',
      '  skips.test.ts > needs a part',
      '  skips.test.ts > a suite whose hook needs a part > cannot start',
      '2 skipped: There is no whale.',
    ])
    expect(output).toMatch(/1 passed \| 3 skipped/)
    expect(code).toBe(0)
  })

  it('skips only those tests that need a missing server', async () => {
    const { code, output } = await runVitest('servers.test.ts')
    const [, last] = output.split(/Duration .*\n/)
    expect(last?.trim().split('\n')).toEqual([
      'servers.test.ts > needs PostgreSQL',
      '  servers.test.ts > a suite on both > is skipped',
      '2 skipped: There is no elephant.',
    ])
    expect(output).toMatch(/3 passed \| 2 skipped/)
    expect(code).toBe(0)
  })

  it('fails in strict mode if nobody has reviewed the skips', async () => {
    const { code, output } = await runVitest('skips.test.ts', { PANOPTES_STRICT_SKIPS: '1' })
    expect(output).toContain('3 skipped tests are not in e2e/setup/allowed-skips.ts')
    expect(code).toBe(1)
  })

  it('names and removes folders and processes that tests left behind', async () => {
    const { code, output } = await runVitest('leaves.test.ts')
    expect(code).toBe(0)
    expect(output).toMatch(/the temporary forgotten-\w+/)
    if (process.platform === 'linux') {
      const pid = /process (\d+): sleep 600/.exec(output)?.[1]
      expect(pid).toBeDefined()
      // A killed process may take a moment to end.
      await expect.poll(() => existsSync(`/proc/${pid}/cwd`)).toBe(false)
    }
    expect((await runVitest('leaves.test.ts', { PANOPTES_STRICT_LEFTOVERS: '1' })).code).toBe(1)
  })
})
