import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { openHub, transcriptReceiver } from '@panoptes/engine/forward'
import { copySessions } from '@panoptes/engine/sources'
import { success } from '@panoptes/schema/result'
import { Client } from 'pg'
import { startPostgres } from '../e2e/setup/postgres-server.ts'
import { options, publish, type Row } from './report.ts'
import { cpuOfTree } from './sizing-processes.ts'
import { round } from './statistics.ts'

const { quick } = options()
const MESSAGES = quick ? 2_000 : 10_000
const TIMES = quick ? 20 : 100
/** Sub-agents write a tenth as much as the session, and their transcripts follow that of the session. */
const AGENTS = 5

const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-growing-'))
const project = join(folder, 'projects', '-home-dev-atlas')
mkdirSync(join(project, 'long', 'subagents'), { recursive: true })

let made = 0
/** Creates a message of about 600 bytes with words that rarely repeat. */
function line(): string {
  made += 1
  const words = Array.from({ length: 60 }, (_, n) => ((made * 7_919 + n * 104_729) % 46_656).toString(36))
  const content = [{ type: 'text', text: words.join(' ') }]
  const timestamp = new Date(1_780_000_000_000 + made * 1_000).toISOString()
  return made % 2 === 1
    ? `${JSON.stringify({ type: 'user', uuid: `u${made}`, timestamp, message: { role: 'user', content } })}\n`
    : `${JSON.stringify({
        type: 'assistant',
        uuid: `u${made}`,
        timestamp,
        message: {
          id: `m${made}`,
          role: 'assistant',
          model: 'claude-opus-4-8',
          content,
          usage: { input_tokens: 10, output_tokens: 60 },
        },
      })}\n`
}
const linesOf = (count: number): string => Array.from({ length: count }, line).join('')

const postgres = await startPostgres({ isDurable: true })
const database = new Client({ connectionString: postgres.url })
await database.connect()
const hub = spawn(
  process.execPath,
  [fileURLToPath(new URL('./growing-hub.ts', import.meta.url)), postgres.url],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
try {
  const [said] = (await once(hub.stdout, 'data')) as [Buffer]
  const [address = '', secret = ''] = String(said).trim().split(' ')
  const { rows: found } = await database.query(
    "SELECT pg_read_file('postmaster.pid') AS said, pg_current_wal_lsn() AS at",
  )
  const postmaster = Number(String(found[0].said).split('\n')[0])
  const inner = transcriptReceiver(
    openHub({ to: address, token: async () => success(secret) }),
    'bench',
    'bench',
  )
  let wire = 0
  let plain = 0
  const copy = copySessions({
    env: { HOME: folder, CLAUDE_CONFIG_DIR: folder },
    receiver: {
      known: inner.known,
      send: (lines, signal) => {
        wire += gzipSync(lines).length
        plain += Buffer.byteLength(lines)
        return inner.send(lines, signal)
      },
    },
  })
  const meters = async () => {
    const { rows } = await database.query("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS wal")
    return {
      wire,
      plain,
      wal: Number(rows[0].wal),
      hub: cpuOfTree(hub.pid ?? 0),
      postgres: cpuOfTree(postmaster),
      here: performance.now(),
    }
  }
  const refresh = async () => {
    const done = await copy.refresh()
    if (!done.ok) throw new Error(done.message)
  }
  const rows: Row[] = []
  const measured = async (what: string, times: number, work: () => Promise<void>) => {
    const before = await meters()
    for (let n = 0; n < times; n += 1) await work()
    const after = await meters()
    const each = (of: keyof typeof before) => (after[of] - before[of]) / times
    rows.push({
      what,
      tellings: times,
      'KB on the wire': round(each('wire') / 1_024),
      'KB plain': round(each('plain') / 1_024),
      'hub CPU ms': round(each('hub') * 1_000),
      'database CPU ms': round(each('postgres') * 1_000),
      'WAL KB': round(each('wal') / 1_024),
      'ms in all': round(each('here')),
      load: round(loadavg()[0] ?? Number.NaN),
    })
  }
  const own = join(project, 'long.jsonl')
  writeFileSync(own, linesOf(MESSAGES))
  await measured(`${MESSAGES} messages, told first`, 1, refresh)
  await measured('grown by one message', TIMES, async () => {
    appendFileSync(own, linesOf(1))
    await refresh()
  })
  for (let agent = 0; agent < AGENTS; agent += 1)
    writeFileSync(
      join(project, 'long', 'subagents', `agent-a${agent}.jsonl`),
      linesOf(MESSAGES / 10 / AGENTS),
    )
  await measured(`with ${AGENTS} sub-agents more`, 1, refresh)
  await measured('grown by one message before what they said', TIMES / 5, async () => {
    appendFileSync(own, linesOf(1))
    await refresh()
  })
  await copy.close()
  const part = (of: string) => Number(rows[1]?.[of]) / Number(rows[0]?.[of])
  publish({
    name: 'growing',
    tables: [{ title: 'A session that grows, told to a hub: what each telling takes', rows }],
    promises: [
      {
        says: 'one message more takes less than a hundredth of the whole session, on the wire and in the log of the database',
        holds: part('KB on the wire') < 0.01 && part('WAL KB') < 0.01,
        measured: `${round(part('KB on the wire'))} and ${round(part('WAL KB'))}`,
      },
    ],
  })
} finally {
  const over = once(hub, 'exit')
  hub.kill('SIGTERM')
  await over
  await database.end()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
