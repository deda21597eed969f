import type { Forgotten } from '@panoptes/engine/store'
import { Thread } from '@panoptes/engine/worker-rpc'
import type { Failure, Result, TranscriptsReply } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { openLocalSources } from '../registry.ts'
import type { Batch, CopierCalls, WorkerSetup } from './calls.ts'
import { type Patience, untilDone } from './patience.ts'
import type { SessionCopy, TranscriptReceiver } from './port.ts'

export interface CopyOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly receiver: TranscriptReceiver
  /** The file with the archive of sessions. What agents deleted is sent from there. */
  readonly history?: string | undefined
  /** Who is not to be told of, whatever the sources have. */
  readonly forgotten?: Forgotten | undefined
  /** Told when something could not be read or sent, once as long as it is the same. */
  readonly problem?: ((reason: string) => void) | undefined
}

/** In the clone the worker is the source itself; in the published package it lies beside the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './uploader-worker.js',
  import.meta.url,
)

/** Megabytes: much text passes through, and none of it stays. */
const YOUNG_MB = 12
/** After a change: so long it is waited for more of them. */
const CALM_MS = 1_000
/** So long it is not asked again what the receiver has, as long as it takes what it is told: that may be a long list. */
const KNOWN_MS = 300_000
/** After a look that did not come to its end. */
const AGAIN_MS = 30_000
/** So often it is tried to send something while somebody waits for it. */
const TRIES = 3

const NOBODY: Forgotten = { key: new Uint8Array(), hashes: [] }

type Copying = Thread<{ [M in keyof CopierCalls]: CopierCalls[M] }>

/** Tells a receiver of the sessions of this computer. They are read on a thread of their own, one look at a time. */
export function copySessions({
  env,
  receiver,
  history,
  forgotten = NOBODY,
  problem,
}: CopyOptions): SessionCopy {
  const setup: WorkerSetup = { env: { ...env }, history, forgotten }
  const thread: Copying = new Thread({
    script: SCRIPT,
    name: 'copy',
    data: setup,
    what: 'Sending sessions',
    young: YOUNG_MB,
  })
  const sources = openLocalSources(env)
  const stop = new AbortController()
  const timers = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>()
  const watches: (() => void)[] = []
  const status = { waiting: 0, sent: 0, dropped: 0, bytes: 0, problem: null as string | null }
  let turn: Promise<unknown> = Promise.resolve()

  const say = (reason: string | null) => {
    if (reason !== null && reason !== status.problem) problem?.(reason)
    status.problem = reason
  }
  const known = new Map<string, { readonly at: number; readonly of: Map<string, string> }>()
  const knownOf = async (source: string, how: Patience): Promise<Result<Map<string, string>>> => {
    const there = known.get(source)
    if (there !== undefined && performance.now() - there.at < KNOWN_MS) return success(there.of)
    const at = performance.now()
    const asked = await untilDone(() => receiver.known(source, how.signal), how)
    if (!asked.ok) return asked
    const of = new Map(asked.value)
    known.set(source, { at, of })
    return success(of)
  }
  const patience = (tries: number, signal: AbortSignal): Patience => ({ tries, signal, failed: say })

  /** What is not taken as it is, is told session by session, so that one does not keep the others. */
  const sent = async (source: string, batch: Batch, how: Patience): Promise<Result<TranscriptsReply>> => {
    const whole = await untilDone(() => receiver.send(batch.lines, how.signal), how)
    if (whole.ok || whole.code !== 'invalid') return whole
    if (batch.sessions.length === 1) {
      const id = batch.sessions[0]?.id ?? ''
      known.delete(source)
      // A hub that does not know how it is said what is the same takes it when it is told whole.
      const wasInParts = await thread.call('missed', [source, id])
      if (wasInParts.ok && wasInParts.value)
        return success({ ended: 0, dropped: 0, missed: [{ source, id }], forgotten: [] })
      await thread.call('refused', [source, id])
      say(whole.message)
      return success({ ended: 0, dropped: 0, missed: [], forgotten: [] })
    }
    const lines = batch.lines.split('\n').slice(0, -1)
    const sum: TranscriptsReply = { ended: 0, dropped: 0, missed: [], forgotten: [] }
    for (const [at, session] of batch.sessions.entries()) {
      const own = lines.slice(session.from, batch.sessions[at + 1]?.from)
      const text = own.map((line) => `${line}\n`).join('')
      const one = await sent(source, { ...batch, lines: text, sessions: [session] }, how)
      if (!one.ok) return one
      sum.ended += one.value.ended
      sum.dropped += one.value.dropped
      sum.missed.push(...one.value.missed)
      sum.forgotten.push(...one.value.forgotten)
    }
    return success(sum)
  }

  /** Tells what changed in one source; answers when there is to be looked again. */
  const pass = async (
    source: string,
    patient: boolean,
    how: Patience,
  ): Promise<Result<{ readonly again_ms: number | null }>> => {
    const told = await knownOf(source, how)
    if (!told.ok) return told
    const looked = await thread.call('look', [source, told.value, patient], { signal: how.signal })
    if (!looked.ok) return looked
    let left = looked.value.changed
    let unread: Failure | null = looked.value.problem
    let missed = false
    status.waiting += left
    try {
      while (looked.value.changed > 0 && !how.signal.aborted) {
        const batch = await thread.call('next', [])
        if (!batch.ok) return batch
        if (batch.value === null) break
        unread ??= batch.value.problem
        const reply = batch.value.lines === '' ? undefined : await sent(source, batch.value, how)
        if (reply?.ok === false) return reply
        for (const { id } of reply?.value.forgotten ?? []) await thread.call('refused', [source, id])
        for (const { id } of reply?.value.missed ?? []) await thread.call('missed', [source, id])
        missed ||= (reply?.value.missed.length ?? 0) > 0
        if (missed || (reply?.value.forgotten.length ?? 0) > 0) known.delete(source)
        for (const { id, fingerprint } of batch.value.told)
          if (fingerprint === null) told.value.delete(id)
          else told.value.set(id, fingerprint)
        status.sent += reply?.value.ended ?? 0
        status.dropped += reply?.value.dropped ?? 0
        status.bytes += Buffer.byteLength(batch.value.lines)
        status.waiting -= batch.value.done
        left -= batch.value.done
      }
    } finally {
      status.waiting -= left
    }
    if (how.signal.aborted) return failure('stopped', 'Stopped. Completely sent sessions are saved.')
    say(unread === null ? null : unread.message)
    const { again_ms } = looked.value
    return success({ again_ms: missed ? Math.min(CALM_MS, again_ms ?? CALM_MS) : again_ms })
  }

  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const own = turn.then(work)
    turn = own.catch(() => undefined)
    return own
  }
  const look = async (source: string) => {
    // What changes from here on may be missed by this look.
    timers.delete(source)
    const done = await pass(source, true, patience(Number.POSITIVE_INFINITY, stop.signal))
    if (!done.ok) {
      known.delete(source)
      say(done.message)
    }
    const again = done.ok ? done.value.again_ms : AGAIN_MS
    if (again !== null) later(source, again)
  }
  const later = (source: string, ms: number) => {
    const at = performance.now() + ms
    const under = timers.get(source)
    if (stop.signal.aborted || (under !== undefined && under.at <= at)) return
    clearTimeout(under?.timer)
    timers.set(source, { at, timer: setTimeout(() => void alone(() => look(source)), ms).unref() })
  }

  return {
    follow: () => {
      for (const source of sources) {
        watches.push(source.watch(() => later(source.name, CALM_MS)))
        later(source.name, 0)
      }
    },
    refresh: (signal = stop.signal) =>
      alone(async () => {
        const halt = AbortSignal.any([signal, stop.signal])
        for (const { name } of sources) {
          known.delete(name)
          const done = await pass(name, false, patience(TRIES, halt))
          if (!done.ok) return done
        }
        return success(null)
      }),
    forget: async (sessions) => {
      const told = await thread.call('forget', [sessions])
      if (watches.length > 0) for (const { source } of sessions) later(source, 0)
      return told
    },
    status: () => ({ ...status }),
    close: async () => {
      for (const unwatch of watches) unwatch()
      stop.abort()
      for (const { timer } of timers.values()) clearTimeout(timer)
      await turn
      await thread.call('close', [])
      await thread.end()
    },
  }
}
