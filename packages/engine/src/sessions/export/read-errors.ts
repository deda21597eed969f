import { redactText } from '@panoptes/engine/redact'
import type { UnreadPart } from '@panoptes/schema'

const MOST_NAMED = 20

/** Collects what could not be read of a session: the number of parts, and the first of them. */
export class Unread {
  count = 0
  readonly parts: UnreadPart[] = []

  add({ place, reason }: UnreadPart): void {
    this.count += 1
    if (this.parts.length < MOST_NAMED) this.parts.push({ place, reason: redactText(reason).text })
  }

  words(): string {
    return this.count === 1 ? '1 part could not be read' : `${this.count} parts could not be read`
  }
}
