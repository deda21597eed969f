import type { Message } from '@panoptes/schema'

/** Maps results to tools, because a result names its call and not the tool. */
export class Called {
  readonly #waiting = new Map<string, string>()

  /** Returns the tools that failed in this message, as far as they are known. Messages must come in order. */
  failedIn({ content, tool_name }: Message): readonly string[] {
    const failed: string[] = []
    for (const block of content) {
      if (block.type === 'tool_call' && block.id !== '') this.#waiting.set(block.id, block.tool)
      if (block.type !== 'tool_result') continue
      const tool = this.#waiting.get(block.id) ?? tool_name
      this.#waiting.delete(block.id)
      if (block.ok === false && typeof tool === 'string') failed.push(tool)
    }
    return failed
  }
}
