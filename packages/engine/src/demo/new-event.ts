import type { EventInput, NewEvent } from '@panoptes/schema'
import { type DayOptions, generateDay } from './day.ts'

/** The day as the ledger takes it: each event complete but for its `seq`. */
export function* newEvents(options: DayOptions): Generator<NewEvent, void, undefined> {
  for (const event of generateDay(options)) yield asNewEvent(event)
}

/** Completes an event of this generator; what comes from outside is completed by the server instead. */
export function asNewEvent(event: EventInput): NewEvent {
  const { ts, key, session_id: session } = event
  if (typeof ts !== 'number' || key === undefined || !session) throw new Error('not an event of the demo')
  return {
    ...event,
    v: 1,
    key,
    ts,
    source: event.source ?? 'custom',
    host: event.host ?? 'studio',
    session_id: session,
  }
}
