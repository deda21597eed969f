import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './account-context.ts'

/** A call in the log, reported by its start, its end or both, in any order and with duplicates. */
export interface LoggedCall {
  readonly id: string
  readonly agent: string
  tool: string
  ts: number
  seq: number
  begun: boolean
  done: boolean
  ok: boolean | null
  /** The event that reported its failure. */
  failedSeq: number | null
  end: number | null
  duration: number | null
  error: string
}

/** The calls of a session, each once. */
export class LoggedCalls {
  readonly #calls = new Map<string, LoggedCall>()
  /** An end may omit the agent of its call. */
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
    return this.#calls.get(callKey(agent, id))
  }

  /** Finds a call of any agent. */
  find(id: string): LoggedCall | undefined {
    return this.of(this.#owners.get(id) ?? MAIN, id)
  }

  all(): readonly LoggedCall[] {
    return [...this.#calls.values()]
  }

  #at(
    { key, ts, seq }: StoredEvent,
    callId: string | null | undefined,
    by: string | null | undefined,
    tool: string | null | undefined,
  ): LoggedCall {
    const id = callId ?? key
    const agent = by ?? this.#owners.get(id) ?? MAIN
    const name = callKey(agent, id)
    const existing = this.#calls.get(name)
    if (existing !== undefined) {
      if (existing.tool === UNKNOWN) existing.tool = tool ?? UNKNOWN
      return existing
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
const callKey = (agent: string, id: string): string => JSON.stringify([agent, id])
