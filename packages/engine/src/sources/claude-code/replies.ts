import type { ContentBlock, Message } from '@panoptes/schema'
import { largest, type Payments } from './payments.ts'

/**
 * Merges the rows of a reply. The client writes one row per block, each with the reply's id and usage, and
 * the results of its calls in between. The merged message is followed by the results.
 */
export class Replies {
  readonly #payments: Payments
  #reply: Message | undefined
  #after: Message[] = []

  constructor(payments: Payments) {
    this.#payments = payments
  }

  /** Takes the next message and returns those that are complete now. */
  take(message: Message): readonly Message[] {
    if (this.#reply !== undefined && continuesReply(this.#reply, message)) {
      this.#reply = joined(this.#reply, message)
      return []
    }
    if (message.role === 'tool' && this.#reply !== undefined) {
      this.#after.push(message)
      return []
    }
    const complete = this.end()
    if (message.role !== 'assistant') return [...complete, message]
    this.#reply = message
    return complete
  }

  end(): readonly Message[] {
    const complete =
      this.#reply === undefined ? this.#after : [this.#payments.pay(this.#reply), ...this.#after]
    this.#reply = undefined
    this.#after = []
    return complete
  }
}

const continuesReply = (reply: Message, next: Message): boolean =>
  next.role === 'assistant' && next.id !== '' && next.id === reply.id

const joined = (reply: Message, next: Message): Message => ({
  ...reply,
  content: [...reply.content, ...next.content.filter((block) => !hasCall(reply, block))],
  usage: largest(reply.usage, next.usage),
})

/** A call that occurs twice was made once. */
const hasCall = ({ content }: Message, block: ContentBlock): boolean =>
  block.type === 'tool_call' && content.some((each) => each.type === 'tool_call' && each.id === block.id)
