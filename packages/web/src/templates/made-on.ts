import { msOf } from '../achievements/moment.ts'
import * as f from '../format.ts'
import { words } from '../words.ts'

/** The day that a template was made, by the seconds that its file says. Any number may stand there. */
export function madeOn(seconds: number, now: number): string {
  const at = seconds > 0 ? msOf(seconds) : null
  return at === null ? words.templates.panel.dateUnknown : f.day(at, now)
}
