import type { EventInput } from '@panoptes/schema'
import { PLAYS } from './cast.ts'
import { random } from './random.ts'
import { schedule } from './schedule.ts'
import { session } from './session.ts'
import type { Life, Stage } from './stage.ts'

export interface DayOptions {
  readonly seed: number
  /** How many events to give; the day goes on into the next one where they do not fit. */
  readonly events?: number | undefined
  /** The moment of the first event, in milliseconds. */
  readonly start?: number | undefined
}

const DEFAULT_START = Date.UTC(2026, 8, 15, 7, 30)
const DEFAULT_EVENTS = 20_000

/** How many sessions run at once at each hour of the day, UTC. */
const OPEN_BY_HOUR = [1, 1, 1, 1, 1, 1, 2, 4, 6, 7, 7, 6, 3, 5, 7, 7, 6, 5, 3, 2, 2, 1, 1, 1]

/** A day of agents, event by event, in the order of time; nothing is kept but the agents that run at the moment. */
export function* generateDay(options: DayOptions): Generator<EventInput, void, undefined> {
  const { seed, events = DEFAULT_EVENTS, start = DEFAULT_START } = options
  const clock = { now: start }
  const beats = schedule(office(seed, clock), clock)
  for (let given = 0; given < events; given += 1) {
    const beat = beats.next()
    if (beat.done) return
    yield beat.value
  }
}

/** Opens sessions as the hour asks for, each play once before any comes again; it never ends. */
function* office(seed: number, clock: { readonly now: number }): Life {
  const chance = random(seed)
  let open = 0
  let serial = 0
  const leave = (): void => {
    open -= 1
  }
  for (;;) {
    const hour = new Date(clock.now).getUTCHours()
    if (open >= (OPEN_BY_HOUR[hour] ?? 1)) {
      yield { after: chance.about(25_000) }
      continue
    }
    open += 1
    serial += 1
    const stage: Stage = {
      chance,
      clock,
      play: PLAYS[serial - 1] ?? chance.weighted(PLAYS),
      session: `${chance.hex(8)}-${chance.hex(4)}-${serial.toString(16).padStart(4, '0')}`,
      host: chance.chance(0.8) ? 'studio' : 'workbench',
      helpers: 0,
      serial: 0,
    }
    yield { after: serial === 1 ? 0 : chance.about(2_500), begin: session(stage, leave) }
  }
}
