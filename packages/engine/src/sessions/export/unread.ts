import { redactText } from '@panoptes/engine/redact'
import type { UnreadPart } from '@panoptes/schema'

const MOST_NAMED = 20

/** What of a session could not be read: how much, and the first of it. */
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
