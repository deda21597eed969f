import type { ContentBlock } from '@panoptes/schema'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { parsed } from '../json.ts'

const NUL = 0
const SOH = 1
const STRUCTURED = 'json:'

/** What a row's content says: plain text, or JSON behind a control character. What is not known is kept as text, never dropped. */
export function contentOf(text: string | null): readonly ContentBlock[] {
  if (text === null) return []
  const first = text.charCodeAt(0)
  if ((first !== NUL && first !== SOH) || !text.startsWith(STRUCTURED, 1)) return [{ type: 'text', text }]
  const json = text.slice(1 + STRUCTURED.length)
  const value = parsed(json)
  if (value === undefined) return [{ type: 'text', text: json }]
  const parts = Array.isArray(value) ? value : [value]
  return parts.flatMap((part) => partOf(part))
}

function partOf(part: unknown): readonly ContentBlock[] {
  if (typeof part === 'string') return part === '' ? [] : [{ type: 'text', text: part }]
  const fields = fieldsOf(part)
  switch (fields.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: String(fields.text ?? '') }]
    case 'image_url':
    case 'input_image':
      return [imageAt(textOf(fieldsOf(fields.image_url).url) ?? textOf(fields.image_url))]
    case 'image':
      return [sourceOf(fieldsOf(fields.source))]
    default:
      return [{ type: 'text', text: JSON.stringify(part) ?? '' }]
  }
}

const sourceOf = (source: Fields): ContentBlock =>
  source.type === 'url'
    ? imageAt(textOf(source.url))
    : { type: 'image', media_type: textOf(source.media_type), data: textOf(source.data) }

const INLINE = /^data:([^;,]*)(?:;[^,]*)?,/

/** An image is in its address, or somewhere else: then only the address is kept. */
function imageAt(url: string | null): ContentBlock {
  const inline = url === null ? null : INLINE.exec(url)
  if (url === null || inline === null) return { type: 'image', media_type: null, data: null, url }
  return { type: 'image', media_type: inline[1] || null, data: url.slice(inline[0].length) }
}

/** The texts of a list of a model's own items: an answer's, or the summaries of its reasoning. */
export function itemTexts(json: string | null): string | null {
  const texts = listOf(parsed(json)).flatMap((item) => textsOf(fieldsOf(item)))
  return texts.length === 0 ? null : texts.join('\n')
}

function textsOf(item: Fields): readonly string[] {
  const own = [item.text, item.summary, item.content].filter((value) => typeof value === 'string')
  const parts = [...listOf(item.summary), ...listOf(item.content)].map((part) => textOf(fieldsOf(part).text))
  return [...own, ...parts].filter((text): text is string => text !== null && text !== '')
}
