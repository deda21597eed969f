import type { ContentBlock } from '@panoptes/schema'

const INLINE = /^data:([^;,]*)(?:;[^,]*)?,/

/** An image by its URL. A `data:` URL contains the image itself; of any other, only the URL is kept. */
export function imageBlock(url: string | null): ContentBlock {
  const inline = url === null ? null : INLINE.exec(url)
  if (url === null || inline === null) return { type: 'image', media_type: null, data: null, url }
  return { type: 'image', media_type: inline[1] || null, data: url.slice(inline[0].length) }
}
