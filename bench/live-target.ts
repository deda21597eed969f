import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDaemon } from '../e2e/daemon.ts'
import { type Address, openReader, type Reader } from './live-socket.ts'

/** A process that follows a file and passes its lines on. */
export interface Target {
  readonly pid: number
  readonly file: string
  readonly stream: Address
  /** Whether it sends a snapshot first, which contains everything written before. */
  readonly greets: boolean
  readonly stop: () => Promise<unknown>
}

export async function daemonTarget(path = '/stream?batch=1'): Promise<Target> {
  const daemon = await startDaemon()
  const token = await daemon.token('full')
  return {
    pid: daemon.pid,
    file: join(daemon.home.panoptes, 'events.jsonl'),
    stream: { port: daemon.port, path, token },
    greets: true,
    stop: daemon.stop,
  }
}

const PROBES = {
  plain: fileURLToPath(new URL('./live-probe.ts', import.meta.url)),
  raw: fileURLToPath(new URL('./live-probe-raw.ts', import.meta.url)),
}

/** Starts the floor, or the minimum with `raw`. */
export async function probeTarget(
  folder: string,
  waitMs: number,
  how: keyof typeof PROBES = 'plain',
): Promise<Target> {
  const file = join(folder, `${how}-${waitMs}.jsonl`)
  writeFileSync(file, '')
  const child = spawn(process.execPath, [PROBES[how], file, `${waitMs}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    pid: child.pid ?? 0,
    file,
    stream: { port: Number(port), path: '/' },
    greets: false,
    stop: () => {
      child.stdin.end()
      return exit
    },
  }
}

const MARK = '"mark":"'

/** Builds a line with a mark, such as a number or a timestamp, that is cheap to find. */
export const markedLine = (event: object, mark: string): string =>
  `${JSON.stringify(event).slice(0, -1)},${MARK}${mark}"}\n`

export interface Listener extends Reader {
  readonly seen: () => number
  readonly gaps: () => number
}

/** Connects a client that counts marks and passes each of them on if requested. */
async function listen(target: Target, tell?: (mark: string) => void): Promise<Listener> {
  let seen = 0
  let gaps = 0
  const greeted = Promise.withResolvers<void>()
  const reader = await openReader(target.stream, (text) => {
    greeted.resolve()
    if (text.toString('latin1', 0, 13) === '{"type":"gap"') gaps += 1
    for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at + 1)) {
      seen += 1
      if (tell) tell(text.toString('latin1', at + MARK.length, text.indexOf('"', at + MARK.length)))
    }
  })
  if (target.greets) await greeted.promise
  return { ...reader, seen: () => seen, gaps: () => gaps }
}

export const listenTen = (target: Target, tell?: (mark: string) => void): Promise<Listener[]> =>
  Promise.all(Array.from({ length: 10 }, () => listen(target, tell)))

/** Appends to the file of a target as an emitter does. */
export function openEmitter(target: Target): { write: (text: string) => void; close: () => void } {
  const file = openSync(target.file, 'a')
  return { write: (text) => writeSync(file, text), close: () => closeSync(file) }
}
