import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Daemon, startDaemon } from '../e2e/daemon.ts'
import { type Transcripts, writeLongSession, writeTranscripts } from './history-data.ts'
import { options, publish, type Row, readLoad, requestedParts } from './report.ts'
import { published } from './sessions-daemon.ts'
import { cpuOfTree } from './sizing-processes.ts'
import { median, round } from './statistics.ts'

/**
 * What it costs to take a history in, to rest after it, to look at touched files and to follow one session that
 * grows, beside reading and parsing the same files once.
 */
const { quick } = options()
const SESSIONS = quick ? 200 : 2_000
const ROUNDS = quick ? 1 : 5
/** Threads without work end after half a minute, so rest begins later. */
const IDLE_S = 45
/** Threads that have nothing to do end after half a minute, and their memory is returned a little later. */
const REST_S = 60
const GROW_S = quick ? 15 : 120
const MB = 1_048_576

const PLAIN = `
  const { readFileSync } = require('node:fs')
  let rows = 0
  for (const file of JSON.parse(readFileSync(0, 'utf8')))
    for (const line of readFileSync(file, 'utf8').split('\\n')) if (line !== '') { JSON.parse(line); rows += 1 }
  const { user, system } = process.cpuUsage()
  console.log((user + system) / 1e6)`
const IDLE = `
  const { DatabaseSync } = require('node:sqlite')
  globalThis.db = new DatabaseSync(process.argv[1])
  db.exec('CREATE TABLE t (a)')
  require('node:http').createServer(() => {}).listen(0, '127.0.0.1', () => console.log('ready'))`

const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-history-'))
const command = await published(folder)
const parts = { intake: measureIntake, growing: measureGrowing }
const tables: { title: string; rows: readonly Row[] }[] = []
const promises: { says: string; holds: boolean; measured: string }[] = []
try {
  for (const part of requestedParts(parts)) await parts[part]()
  publish({ name: 'history', tables, promises })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measureIntake(): Promise<void> {
  const rows: Row[] = []
  for (let round_ = 0; round_ < ROUNDS; round_ += 1) {
    const root = mkdtempSync(join(folder, 'intake-'))
    const data = writeTranscripts(root, SESSIONS, 1 + round_)
    const plain = readPlainly(data)
    const idle = await measureIdle(root)
    const empty = await withDaemon(join(root, 'nothing'), async (daemon) => {
      await settle(daemon)
      await sleep(IDLE_S * 1_000)
      const core = await measureRest(daemon)
      return { pss: readPss(daemon.pid), core }
    })
    rows.push(
      await withDaemon(data.folder, async (daemon) => {
        const peak = watchPss(daemon.pid)
        const seconds = await settle(daemon)
        const taken = { read: bytesRead(daemon.pid), cpu: cpuOfTree(daemon.pid), peak: peak() }
        await sleep(IDLE_S * 1_000)
        const core = await measureRest(daemon)
        const pss = readPss(daemon.pid)
        const sizes = readSizes(daemon)
        const before = { read: bytesRead(daemon.pid), cpu: cpuOfTree(daemon.pid) }
        const now = new Date()
        for (const file of data.files) utimesSync(file, now, now)
        await sleep(1_000)
        await settle(daemon)
        return {
          'data MB': round(data.bytes / MB),
          'plain CPU s': round(plain),
          'read / data': round(taken.read / data.bytes),
          'CPU s': round(taken.cpu),
          'CPU / plain': round(taken.cpu / plain),
          'settled s': round(seconds),
          'peak MB': round(taken.peak),
          'idle Node MB': round(idle),
          'empty MB': round(empty.pss),
          'at rest MB': round(pss),
          'empty core %': round(empty.core),
          'rest core %': round(core),
          'archive / data': round(sizes.archive / data.bytes),
          'home / data': round(sizes.home / data.bytes),
          'touched read / data': round((bytesRead(daemon.pid) - before.read) / data.bytes),
          'touched CPU s': round(cpuOfTree(daemon.pid) - before.cpu),
          load: readLoad(),
        }
      }),
    )
    rmSync(root, { recursive: true, force: true })
  }
  tables.push({ title: `${SESSIONS} sessions of Claude Code, taken in by the packaged daemon`, rows })
  const middle = (name: string) => median(rows.map((row) => Number(row[name])))
  expectAtMost('bytes read are at most 1.15 × the data', middle('read / data'), 1.15)
  expectAtMost('the processor time is at most 20 × the plain read-and-parse', middle('CPU / plain'), 20)
  expectAtMost('settled within 25 s', middle('settled s'), 25)
  expectAtMost('the peak is at most 350 MB', middle('peak MB'), 350)
  expectAtMost(
    'an empty home is at most 75 MB above idle Node',
    middle('empty MB') - middle('idle Node MB'),
    75,
  )
  expectAtMost('the history adds at most 60 MB', middle('at rest MB') - middle('empty MB'), 60)
  expectAtMost('at most 0.15 % of a core at rest', middle('rest core %'), 0.15)
  expectAtMost('the archive is at most 0.25 × the data', middle('archive / data'), 0.25)
  expectAtMost('touching all files reads at most 0.05 × the data', middle('touched read / data'), 0.05)
}

async function measureGrowing(): Promise<void> {
  const rows: Row[] = []
  for (const megabytes of quick ? [2, 40] : [2, 40, 200]) {
    const root = mkdtempSync(join(folder, 'growing-'))
    const session = writeLongSession(root, megabytes, megabytes)
    rows.push(
      await withDaemon(session.folder, async (daemon) => {
        await settle(daemon)
        const before = { read: bytesRead(daemon.pid), cpu: cpuOfTree(daemon.pid), at: Date.now() }
        for (let second = 0; second < GROW_S; second += 1) {
          session.appendLine()
          await sleep(1_000)
        }
        const seconds = (Date.now() - before.at) / 1_000
        return {
          'session MB': megabytes,
          'core %': round(((cpuOfTree(daemon.pid) - before.cpu) / seconds) * 100),
          'read MB/s': round((bytesRead(daemon.pid) - before.read) / MB / seconds),
          load: readLoad(),
        }
      }),
    )
    rmSync(root, { recursive: true, force: true })
  }
  tables.push({ title: 'One session that grows by a line a second', rows })
  expectAtMost('at most 2 % of a core', Math.max(...rows.map((row) => Number(row['core %']))), 2)
  expectAtMost('at most 1 MB read a second', Math.max(...rows.map((row) => Number(row['read MB/s']))), 1)
}

function expectAtMost(says: string, value: number, limit: number): void {
  promises.push({ says, holds: value <= limit, measured: String(round(value)) })
}

async function withDaemon<T>(config: string, work: (daemon: Daemon) => Promise<T>): Promise<T> {
  const daemon = await startDaemon({ command, env: { CLAUDE_CONFIG_DIR: config } })
  try {
    return await work(daemon)
  } finally {
    await daemon.stop()
  }
}

/** Waits until the daemon has used next to no processor time for a while, and returns the seconds until then. */
async function settle(daemon: Daemon): Promise<number> {
  const began = Date.now()
  let quietSince = Date.now()
  for (let before = cpuOfTree(daemon.pid); Date.now() - quietSince < 4_000; ) {
    await sleep(250)
    const now = cpuOfTree(daemon.pid)
    if (now - before > 0.03) quietSince = Date.now()
    before = now
    if (Date.now() - began > 600_000) throw new Error('the daemon did not settle within ten minutes')
  }
  return (quietSince - began) / 1_000
}

/** Returns the share of a core that the daemon uses while nothing happens, in per cent. */
async function measureRest(daemon: Daemon): Promise<number> {
  const before = cpuOfTree(daemon.pid)
  await sleep(REST_S * 1_000)
  return ((cpuOfTree(daemon.pid) - before) / REST_S) * 100
}

function readPlainly(data: Transcripts): number {
  const { stdout } = spawnSync(process.execPath, ['-e', PLAIN], {
    input: JSON.stringify(data.files),
    encoding: 'utf8',
  })
  return Number(stdout)
}

async function measureIdle(root: string): Promise<number> {
  const idle = spawn(process.execPath, ['-e', IDLE, join(root, 'idle.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(idle, 'exit')
  try {
    await once(idle.stdout, 'data')
    await sleep(1_000)
    return readPss(idle.pid ?? 0)
  } finally {
    idle.kill()
    await ended
  }
}

/** Returns every byte that the process read with system calls, also from the page cache. */
function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

function readPss(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1_024
}

function watchPss(pid: number): () => number {
  let most = readPss(pid)
  const timer = setInterval(() => {
    most = Math.max(most, readPss(pid))
  }, 500)
  return () => {
    clearInterval(timer)
    return most
  }
}

function readSizes({ home }: Daemon): { readonly archive: number; readonly home: number } {
  const sizes = readdirSync(home.panoptes, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, size: statSync(join(entry.parentPath, entry.name)).size }))
  const sum = (of: typeof sizes) => of.reduce((total, { size }) => total + size, 0)
  const db = new DatabaseSync(join(home.panoptes, 'history.db'), { readOnly: true })
  try {
    const chunks = db.prepare('SELECT sum(length(data)) AS bytes FROM archive_chunks').get()
    return { archive: Number(chunks?.bytes), home: sum(sizes) }
  } finally {
    db.close()
  }
}
