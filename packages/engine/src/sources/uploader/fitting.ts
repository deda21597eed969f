import type { ContentBlock, Message } from '@panoptes/schema'

/** In bytes: with what is around it, it fits into what a hub takes at once. */
const MOST_MESSAGE = 8_388_608
/** In characters. */
const MOST_TEXT = 1_000_000
const MOST_BLOCKS = 4

export interface Fitting {
  readonly json: string
  /** Where something was taken out. */
  readonly reason?: string
}

/** A message as JSON; one that is too large without the most of its long texts. */
export function fitting(message: Message): Fitting {
  const json = JSON.stringify(message)
  if (json.length <= MOST_MESSAGE && Buffer.byteLength(json) <= MOST_MESSAGE) return { json }
  let held = 0
  const content = message.content.map((block): ContentBlock => {
    const size = JSON.stringify(block).length
    const isShort = size <= MOST_TEXT / 10
    if (!isShort) held += 1
    return isShort ? block : shortened(block, held <= MOST_BLOCKS ? MOST_TEXT : 0)
  })
  const short = JSON.stringify({ ...message, content })
  if (Buffer.byteLength(short) <= MOST_MESSAGE)
    return { json: short, reason: 'is too long to send completely' }
  return {
    json: JSON.stringify({ ...message, content: [] }),
    reason: 'is too long to send; only its usage is sent',
  }
}

function shortened(block: ContentBlock, most: number): ContentBlock {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'tool_result':
      return { ...block, text: block.text.slice(0, most) }
    case 'tool_call':
      return { ...block, input: {} }
    case 'image':
      return { ...block, data: null }
  }
}
