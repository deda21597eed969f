import type { ContentBlock } from '@panoptes/schema'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** What an item's content says. What is not known is kept as text, never dropped. */
export function contentOf(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content)
    .map(fieldsOf)
    .filter((part) => part.type !== 'encrypted_content')
    .map(partOf)
}

/** The texts alone. */
export const textsIn = (content: unknown): readonly string[] =>
  contentOf(content).flatMap((block) => (block.type === 'text' ? [block.text] : []))

function partOf(part: Fields): ContentBlock {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return { type: 'text', text: String(part.text ?? '') }
    case 'refusal':
      return { type: 'text', text: String(part.refusal ?? '') }
    case 'input_image':
      return imageAt(textOf(part.image_url))
    default:
      return { type: 'text', text: JSON.stringify(part) }
  }
}

const INLINE = /^data:([^;,]*)(?:;[^,]*)?,/

/** An image is in its address, or somewhere else: then only the address is kept. */
function imageAt(url: string | null): ContentBlock {
  const inline = url === null ? null : INLINE.exec(url)
  if (url === null || inline === null) return { type: 'image', media_type: null, data: null, url }
  return { type: 'image', media_type: inline[1] || null, data: url.slice(inline[0].length) }
}
