import type { EventInput, NewEvent } from '@panoptes/schema'
import { type DayOptions, generateDay } from './day.ts'

/** Yields the day in the form the store takes: each event complete except for its `seq`. */
export function* newEvents(options: DayOptions): Generator<NewEvent, void, undefined> {
  for (const event of generateDay(options)) yield asNewEvent(event)
}

/** Completes a generated event. Events from outside are completed by the server instead. */
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
