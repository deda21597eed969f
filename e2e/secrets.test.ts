import { createHmac } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { generateNewEvents } from '@panoptes/engine/demo'
import { openSqliteStore } from '@panoptes/engine/store'
import { BOUNDARIES, SECRET_KINDS, type Spelled } from '@panoptes/engine/testing/secrets'
import type { NewEvent, Result } from '@panoptes/schema'
import { expect, it } from 'vitest'
import type { TestHome } from './command.ts'
import { useHome } from './command-kit.ts'
import type { Daemon } from './daemon.ts'
import { projectsIn } from './transcripts-home.ts'

const { home, start } = useHome()

const logged = () => readFile(join(home().panoptes, 'panoptes.log'), 'utf8')

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

interface Hidden extends Spelled {
  readonly name: string
}

/** Every kind of secret, each behind as many boundaries, so that all boundaries are used. */
function hidden(each: number): readonly Hidden[] {
  const boundaries = Object.entries(BOUNDARIES)
  return Object.entries(SECRET_KINDS).flatMap(([kind, make], n) =>
    Array.from({ length: each }, (_, more) => {
      const [boundary, write] = boundaries[(n * each + more) % boundaries.length] ?? []
      if (write === undefined) throw new Error('there are no boundaries')
      return { name: `${kind}, ${boundary}`, ...write(make()) }
    }),
  )
}

/** The secrets that these bytes contain, plain or as JSON. */
const leaks = (all: readonly Hidden[], bytes: Buffer): readonly string[] =>
  all
    .filter(({ spelled }) => bytes.includes(spelled) || bytes.includes(JSON.stringify(spelled).slice(1, -1)))
    .map(({ name }) => name)

/** All files of the home other than tokens and settings. */
async function bytesOf({ panoptes }: TestHome): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(panoptes, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const names = files.filter((file) => !/^(tokens\/|config\.yaml)/.test(relative(panoptes, file)))
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(name)] as const)))
}

async function expectNoLeak(all: readonly Hidden[], at: TestHome): Promise<void> {
  const files = await bytesOf(at)
  expect([...files.keys()].some((file) => file.endsWith('ledger.db'))).toBe(true)
  for (const [file, bytes] of files) {
    expect(leaks(all, bytes), file).toEqual([])
  }
}

async function answers(daemon: Daemon): Promise<Buffer> {
  const paths = ['/api/export', '/api/agents', '/api/sessions', '/api/status', '/api/events?limit=1000']
  const texts = await Promise.all(
    paths.map(async (path) => {
      const answer = await daemon.request(path)
      expect(answer.status, path).toBe(200)
      return answer.text()
    }),
  )
  return Buffer.from(texts.join('\n'))
}

async function post(
  daemon: Daemon,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = await daemon.request(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  expect(answer.ok, `${path}: ${answer.status}`).toBe(true)
  await answer.arrayBuffer()
}

const LAST = 'the very last words'

it('stores no secret anywhere in the home, whichever way it came', async () => {
  const all = hidden(4)
  const daemon = await start()
  const lines = all.map(({ text }, n) => ({
    ...{ event: 'tool_use', source: 'custom', session_id: 'lines', id: `l${n}`, tool: 'Bash' },
    ...{ preview: text, extra: { list: [text] } },
  }))
  await post(daemon, '/events', lines.map((line) => JSON.stringify(line)).join('\n'))
  const secret = (await readFile(join(home().panoptes, 'tokens', 'hermes-webhook'), 'utf8')).trim()
  for (const [n, { text }] of all.entries()) {
    const input = { command: text, description: text }
    const claude = { session_id: 'claude-hooks', cwd: '/tmp', tool_name: 'Bash', tool_use_id: `toolu_${n}` }
    const call = { ...claude, hook_event_name: 'PreToolUse', tool_input: input }
    await post(daemon, '/hooks/claude-code', JSON.stringify(call))
    const hermes = JSON.stringify({
      ...{
        hook_event_name: 'post_tool_call',
        session_id: 'hermes-hooks',
        cwd: '/tmp',
        tool_name: 'terminal',
      },
      ...{ tool_input: { command: text }, extra: { tool_call_id: `c${n}`, result: text, status: 'ok' } },
    })
    const signature = createHmac('sha256', secret).update(hermes).digest('hex')
    await post(daemon, '/hooks/hermes', hermes, { 'x-hermes-signature-256': `sha256=${signature}` })
  }
  await post(daemon, '/v1/traces', JSON.stringify(traces(all)))
  const folder = join(projectsIn(home()), '-home-dev-notes')
  await mkdir(folder, { recursive: true })
  const session = '0f7d1c52-6a3e-4a58-9d8e-2f6f5a0f2c11'
  await appendFile(join(folder, `${session}.jsonl`), transcript(session, all))
  const exported = async () => (await daemon.request('/api/export')).text()
  await expect.poll(exported).toContain(LAST)
  const text = await exported()
  for (const id of ['lines', 'claude-hooks', 'hermes-hooks', session]) expect(text).toContain(id)
  expect(text).toContain('[redacted:')
  expect(leaks(all, await answers(daemon))).toEqual([])
  await expectNoLeak(all, home())
  expect(await daemon.stop()).toBe(0)
  await expectNoLeak(all, home())
})

function traces(all: readonly Hidden[]) {
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const spans = all.map(({ text }, n) => ({
    traceId: 'a'.repeat(32),
    spanId: (n + 1).toString(16).padStart(16, '0'),
    name: 'execute_tool',
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 5}000000`,
    attributes: [
      attribute('gen_ai.operation.name', 'execute_tool'),
      attribute('gen_ai.tool.name', 'Bash'),
      attribute('gen_ai.tool.call.id', `o${n}`),
      attribute('gen_ai.tool.call.arguments', JSON.stringify({ command: text })),
      attribute('gen_ai.tool.description', text),
    ],
  }))
  const resource = { attributes: [attribute('service.name', all[0]?.text ?? '')] }
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }
}

function transcript(sessionId: string, all: readonly Hidden[]): string {
  const words = [...all.map(({ text }) => text), LAST]
  const rows = words.flatMap((text, n) => {
    const timestamp = new Date(Date.now() + n).toISOString()
    const row = { sessionId, timestamp, cwd: '/home/dev/notes', isSidechain: false }
    const input = { command: text, description: text }
    const call = { type: 'tool_use', id: `toolu_t${n}`, name: 'Bash', input }
    const result = { type: 'tool_result', tool_use_id: `toolu_t${n}`, content: text }
    const message = { id: `msg_${n}`, role: 'assistant', model: 'claude-opus-4-1', content: [call] }
    return [
      { ...row, type: 'user', uuid: `u${n}`, promptId: `p${n}`, message: { role: 'user', content: text } },
      { ...row, type: 'assistant', uuid: `a${n}`, message },
      { ...row, type: 'user', uuid: `r${n}`, message: { role: 'user', content: [result] } },
    ]
  })
  return `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`
}

it('removes secrets from the store of an older version, even if it is killed meanwhile', async () => {
  const all = hidden(8)
  await mkdir(home().panoptes, { recursive: true, mode: 0o700 })
  const file = join(home().panoptes, 'ledger.db')
  const older = value(await openSqliteStore(file))
  const others = [...generateNewEvents({ seed: 3, events: 6_000 })]
  for (let at = 0; at < others.length; at += 1_000) {
    const own = all.map(
      ({ text }, n): NewEvent => ({
        ...{ v: 1, key: `older:${at + n}`, ts: Date.now() - 3_600_000 + n, event: 'tool_use', tool: 'Bash' },
        ...{ source: 'custom', host: 'studio', session_id: `s${n % 5}`, id: `t${at + n}`, preview: text },
      }),
    )
    value(await older.append([...others.slice(at, at + 1_000), ...own]))
  }
  const { last } = value(await older.head())
  await older.close()
  expect(leaks(all, await readFile(file)).length).toBe(all.length)

  const killed = await start()
  await expect.poll(logged).toContain('looking for secrets in stored events')
  await killed.kill()

  const daemon = await start()
  await expect.poll(logged, { timeout: 120_000 }).toContain('removed secrets from stored rows')
  expect(leaks(all, await answers(daemon))).toEqual([])
  await expectNoLeak(all, home())
  const rows = (await (await daemon.request('/api/export')).text()).trim().split('\n')
  const keys = rows.map((row) => (JSON.parse(row) as NewEvent).key).filter((key) => key.startsWith('older:'))
  expect(new Set(keys).size).toBe(6 * all.length)
  expect(rows.length).toBeGreaterThanOrEqual(last)
  expect(await daemon.stop()).toBe(0)

  const before = (await logged()).length
  const again = await start()
  expect(await again.stop()).toBe(0)
  expect((await logged()).slice(before)).not.toContain('looking for secrets')
})
