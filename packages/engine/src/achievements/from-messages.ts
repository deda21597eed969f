import { hermesName } from '@panoptes/engine/sources/tool-names'
import type { ContentBlock, Message } from '@panoptes/schema'
import type { Told } from './contribution.ts'

const MOST_CALLS = 10_000

/** Messages of any source as the metrics see them. */
export class MessageTold {
  readonly #tools = new Map<string, string>()

  told({ content }: Message): Told {
    const calls: string[] = []
    const inputs: unknown[] = []
    let result: string | undefined
    for (const block of content) {
      if (block.type === 'tool_call') {
        const name = hermesName(block.tool)
        calls.push(name)
        inputs.push(block.input)
        this.#remember(block.id, name)
      }
      if (block.type === 'tool_result') result = this.#tools.get(block.id)
    }
    return {
      text: content.map(saidIn).join('\n'),
      calls,
      ...(result === undefined ? {} : { result }),
      ...(inputs.length === 0 ? {} : { callsText: JSON.stringify(inputs) }),
    }
  }

  #remember(id: string, name: string): void {
    if (this.#tools.size >= MOST_CALLS) this.#tools.clear()
    this.#tools.set(id, name)
  }
}

/** What a model thought to itself is not searched. */
const saidIn = (block: ContentBlock): string =>
  block.type === 'text' || block.type === 'tool_result' ? block.text : ''
