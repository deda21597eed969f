import { countOf, type Fields, fieldsOf, textOf } from '../fields.ts'
import type { Outcome } from './outcome.ts'

/** What is not asked for is forgotten: its call was never answered. */
const MOST_KEPT = 1_000

/** What Codex tells of the end of calls beside their output. */
export class Ends {
  readonly #ends = new Map<string, Outcome>()

  /** An event that may tell of the end of a call. */
  saw(event: Fields): void {
    const item = event.type === 'item_completed' ? fieldsOf(event.item) : event
    const id = textOf(item.call_id) ?? (item === event ? null : textOf(item.id))
    const told = id === null ? undefined : toldBy(item)
    if (id === null || told === undefined) return
    if (this.#ends.size >= MOST_KEPT) this.#ends.clear()
    this.#ends.set(id, told)
  }

  take(id: string): Outcome | undefined {
    const told = this.#ends.get(id)
    this.#ends.delete(id)
    return told
  }
}

function toldBy(item: Fields): Outcome | undefined {
  const duration_ms = millisecondsOf(item.duration)
  if (typeof item.exit_code === 'number') return { ok: item.exit_code === 0, duration_ms }
  if (typeof item.success === 'boolean') return { ok: item.success, duration_ms }
  if (item.status === 'completed') return { ok: true, duration_ms }
  if (item.status === 'failed' || item.status === 'declined') return { ok: false, duration_ms }
  const { Ok, Err } = fieldsOf(item.result)
  if (Err !== undefined) return { ok: false, duration_ms }
  if (Ok === undefined) return undefined
  return { ok: fieldsOf(Ok).isError !== true && fieldsOf(Ok).is_error !== true, duration_ms }
}

function millisecondsOf(value: unknown): number | null {
  const { secs, nanos } = fieldsOf(value)
  const [seconds, rest] = [countOf(secs), countOf(nanos)]
  return seconds === null || rest === null ? null : Math.round(seconds * 1_000 + rest / 1_000_000)
}
