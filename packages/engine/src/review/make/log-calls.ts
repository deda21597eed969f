import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './making.ts'

/** A call as the log tells of it: by its beginning, its end, or both, in any order and however often. */
export interface LoggedCall {
  readonly id: string
  readonly agent: string
  tool: string
  ts: number
  seq: number
  begun: boolean
  done: boolean
  ok: boolean | null
  /** The event that told that it failed. */
  failedSeq: number | null
  end: number | null
  duration: number | null
  error: string
}

/** The calls of a session, each once. */
export class LoggedCalls {
  readonly #calls = new Map<string, LoggedCall>()
  /** An end may leave out whose call it was. */
  readonly #owners = new Map<string, string>()

  hear(event: StoredEvent): LoggedCall | undefined {
    if (isKind(event, 'tool_use')) {
      const call = this.#at(event, event.id, event.agent_id, event.tool)
      if (!call.begun) Object.assign(call, { begun: true, ts: event.ts, seq: event.seq })
      return call
    }
    if (isKind(event, 'tool_done')) {
      const call = this.#at(event, event.id, event.agent_id, event.tool)
      const took = event.duration_ms ?? null
      if (!call.begun) call.ts = Math.min(call.ts, event.ts - (took ?? 0))
      call.done = true
      if (event.ok === false && call.ok !== false) call.failedSeq = event.seq
      call.ok = event.ok ?? call.ok
      call.end = Math.max(call.end ?? event.ts, event.ts)
      call.duration = took ?? call.duration
      call.error ||= event.error_preview ?? ''
      return call
    }
    if (!isKind(event, 'tool_refused')) return undefined
    const call = this.#at(event, event.id, event.agent_id, event.tool)
    if (call.ok !== false) call.failedSeq = event.seq
    Object.assign(call, { done: true, ok: false, end: call.end ?? event.ts })
    call.error ||= 'there is no such tool'
    return call
  }

  of(agent: string, id: string): LoggedCall | undefined {
    return this.#calls.get(keyOf(agent, id))
  }

  /** Whichever agent made it. */
  find(id: string): LoggedCall | undefined {
    return this.of(this.#owners.get(id) ?? MAIN, id)
  }

  all(): readonly LoggedCall[] {
    return [...this.#calls.values()]
  }

  #at(
    { key, ts, seq }: StoredEvent,
    told: string | null | undefined,
    by: string | null | undefined,
    tool: string | null | undefined,
  ): LoggedCall {
    const id = told ?? key
    const agent = by ?? this.#owners.get(id) ?? MAIN
    const name = keyOf(agent, id)
    const known = this.#calls.get(name)
    if (known !== undefined) {
      if (known.tool === UNKNOWN) known.tool = tool ?? UNKNOWN
      return known
    }
    const call = {
      id,
      agent,
      tool: tool ?? UNKNOWN,
      ts,
      seq,
      begun: false,
      done: false,
      ok: null,
      failedSeq: null,
      end: null,
      duration: null,
      error: '',
    }
    this.#calls.set(name, call)
    this.#owners.set(id, agent)
    return call
  }
}

const UNKNOWN = 'unknown'
const keyOf = (agent: string, id: string): string => JSON.stringify([agent, id])
