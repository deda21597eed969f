import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = resolve(import.meta.dirname, '../../../../../hooks/panoptes-hook.sh')

let folder = ''
let home = ''
let spool = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-hook-'))
  home = join(folder, 'a home')
  spool = join(home, 'spool')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Run {
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
}

const run = (input: string, { args = ['claude-code'], env = { PANOPTES_HOME: home } }: Run = {}) => {
  const path = process.env.PATH ?? ''
  const { status, output, error } = spawnSync('sh', [SCRIPT, ...args], { input, env: { PATH: path, ...env } })
  return { status, output: output.join(''), refused: error?.message }
}

/** A private small disk needs Linux and a system that lets an ordinary process mount one. */
const canMount = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0

const silent = { status: 0, output: '', refused: undefined }
const waiting = async () => (await readdir(spool).catch(() => [])).sort()

async function together(payloads: readonly string[]): Promise<void> {
  await Promise.all(
    payloads.map(async (payload) => {
      const child = spawn('sh', [SCRIPT, 'claude-code', home], { stdio: ['pipe', 'ignore', 'ignore'] })
      const ended = new Promise<number | null>((end) => child.on('close', end))
      child.stdin.end(payload)
      expect(await ended).toBe(0)
    }),
  )
}

describe('the hook script', () => {
  it('writes its input to the spool, readable by this user only, and prints nothing', async () => {
    const payload = '{"hook_event_name":"Stop","text":"ä \\u0000 end"}\n'
    expect(run(payload)).toEqual(silent)
    const [name = ''] = await waiting()
    expect(name).toMatch(/^claude-code\.\d+\.0\.json$/)
    expect(await readFile(join(spool, name), 'utf8')).toBe(payload)
    expect((await stat(spool)).mode & 0o777).toBe(0o700)
    expect((await stat(join(spool, name))).mode & 0o777).toBe(0o600)
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'keeps its whole input when the client sends %s and exits',
    async (signal) => {
      const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore']
      const child = spawn('sh', [SCRIPT, 'claude-code', home], { stdio, detached: true })
      const ended = new Promise<number | null>((end) => child.on('close', end))
      child.stdin.write('{"hook_event_name":')
      const begun = async () => {
        const [part = ''] = await waiting()
        return part === '' ? '' : readFile(join(spool, part), 'utf8')
      }
      await expect.poll(begun).toBe('{"hook_event_name":')
      process.kill(-(child.pid ?? expect.fail('it did not start')), signal)
      child.stdin.end('"StopFailure"}')
      expect(await ended).toBe(0)
      expect(await begun()).toBe('{"hook_event_name":"StopFailure"}')
      expect(await waiting()).toEqual([expect.stringMatching(/^claude-code\.\d+\.0\.json$/)])
    },
  )

  it('finds the home by its second argument, by the environment, or under HOME', async () => {
    run('{}', { args: ['hermes', home], env: { PANOPTES_HOME: join(folder, 'other') } })
    expect(await waiting()).toHaveLength(1)
    run('{}', { env: { HOME: folder } })
    expect(await readdir(join(folder, '.panoptes', 'spool'))).toHaveLength(1)
    expect(run('{}', { env: {} })).toEqual(silent)
  })

  it.each(['PANOPTES_BYPASS', 'KEI_EVENTS_BYPASS'])(
    'drains its input and stores nothing with %s=1',
    async (name) => {
      expect(run('x'.repeat(1_000_000), { env: { PANOPTES_HOME: home, [name]: '1' } })).toEqual(silent)
      expect(await waiting()).toEqual([])
    },
  )

  it.each([
    [{ NUMERIC_CLAIMS_RECORD_BYPASS: '1' }, '.no-claims'],
    [{ SKILL_RECORD_BYPASS: 'yes' }, '.no-skills'],
    [{ NUMERIC_CLAIMS_RECORD_BYPASS: '1', SKILL_RECORD_BYPASS: '1' }, '.no-claims.no-skills'],
    [{ NUMERIC_CLAIMS_RECORD_BYPASS: '0', SKILL_RECORD_BYPASS: '' }, ''],
  ])('encodes the bypass of %o in the file name', async (env, mark) => {
    expect(run('{}', { env: { PANOPTES_HOME: home, ...env } })).toEqual(silent)
    expect((await waiting()).map((name) => name.replace(/\d+/, 'N'))).toEqual([`claude-code.N.0${mark}.json`])
  })

  it('drains its input and stays silent when it cannot write', async () => {
    await mkdir(home)
    await writeFile(spool, 'a file in the way')
    expect(run('x'.repeat(1_000_000))).toEqual(silent)
    expect(run('x'.repeat(1_000_000), { args: ['../../evil'] })).toEqual(silent)
    expect(await readdir(home)).toEqual(['spool'])
  })

  it.for([
    [
      'is full',
      'mount -t tmpfs -o size=16k tmpfs "$0" && mkdir "$0/spool" && dd if=/dev/zero of="$0/ballast" bs=1k count=64',
    ],
    ['is read-only', 'mount -t tmpfs -o ro tmpfs "$0"'],
  ])('exits 0 and leaves no partial file when the disk %s', async ([, mount], { skip }) => {
    skip(!canMount, 'This system lets no ordinary process mount a small disk.')
    await mkdir(home)
    const inside = `(${mount}) >/dev/null 2>&1; head -c 1000000 /dev/zero | "$1" claude-code "$0"; echo "ended $?"; ls -A "$0/spool" 2>/dev/null`
    const mine = spawnSync('unshare', ['-rm', 'sh', '-c', inside, home, SCRIPT], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(mine.stdout).toBe('ended 0\n')
  })

  it('writes nothing for empty input', async () => {
    expect(run('')).toEqual(silent)
    expect(await waiting()).toEqual([])
  })

  it('never overwrites a waiting file', async () => {
    await mkdir(spool, { recursive: true })
    const script = `printf old >"$2/spool/claude-code.$$.0.json"; : >"$2/spool/.claude-code.$$.1.part"; . "$0"`
    spawnSync('sh', ['-c', script, SCRIPT, 'claude-code', home], { input: 'new' })
    const names = await waiting()
    const texts = await Promise.all(names.map((name) => readFile(join(spool, name), 'utf8')))
    expect(names.map((name) => name.replace(/\d+/, 'N'))).toEqual([
      '.claude-code.N.1.part',
      'claude-code.N.0.json',
      'claude-code.N.2.json',
    ])
    expect(texts).toEqual(['', 'old', 'new'])
  })

  it('never mixes megabyte payloads of eight concurrent hooks', async () => {
    const payloads = Array.from({ length: 8 }, (_, index) => JSON.stringify(String(index).repeat(1_000_000)))
    await together(payloads)
    const names = await waiting()
    const texts = await Promise.all(names.map((name) => readFile(join(spool, name), 'utf8')))
    expect(texts.sort()).toEqual(payloads)
  })

  describe("marks a session that another session's hook started", () => {
    /**
     * Simulates a client that is started with some variables and passes more to its hooks, as Claude Code
     * does.
     */
    const client = (started: Record<string, string>, command: string) => {
      const hooks = { CLAUDECODE: '1', CLAUDE_PROJECT_DIR: '/work' }
      const program = `require('node:child_process').spawnSync('/bin/sh', ['-c', ${JSON.stringify(command)}],
        { input: '{}', env: { ...process.env, ...${JSON.stringify(hooks)} } })`
      spawnSync(process.execPath, ['-e', program], { env: { PATH: process.env.PATH ?? '', ...started } })
    }
    const marked = async () => (await waiting()).map((name) => name.includes('.from-hook.'))
    const within = { CLAUDECODE: '1', CLAUDE_PROJECT_DIR: '/other' }

    it.each([
      ['by a person', {}, 'start', false],
      ['by a call of a tool', { CLAUDECODE: '1' }, 'start', false],
      ['by a person who set the folder', { CLAUDE_PROJECT_DIR: '/other' }, 'start', false],
      ['by a hook', within, 'start', existsSync('/proc/self/environ')],
      ['by a hook, later in the session', within, '', false],
    ] as const)('%s', async (_, started, argument, expected) => {
      client(started, `'${SCRIPT}' claude-code '${home}' ${argument}`)
      expect(await marked()).toEqual([expected])
      await rm(spool, { recursive: true })
      client(started, `exec '${SCRIPT}' claude-code '${home}' ${argument}`)
      expect(await marked()).toEqual([expected])
    })
  })
})
