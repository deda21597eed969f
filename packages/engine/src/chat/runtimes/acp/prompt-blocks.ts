import type { FileInput } from '@panoptes/schema'
import type { Fields } from '../fields.ts'
import { formatFilesNote, formatPrompt, type PromptContext } from '../handover-prompt.ts'
import type { RuntimeRequest } from '../port.ts'

/** The byte limits of one attached file and of all of them; agents accept no more. */
const MOST_RESOURCE = 512 * 1_024
const MOST_IMAGE = 5 * 1_024 * 1_024

/**
 * Builds the blocks of a prompt: one text, and the files the agent accepts. The text of text files
 * is already in the preamble.
 */
export function promptBlocks(
  request: RuntimeRequest,
  context: PromptContext,
  capabilities: Fields,
): readonly Fields[] {
  const blocks: Fields[] = []
  const without: string[] = []
  for (const file of request.files) {
    if (file.data === undefined) continue
    const block = toBlock(file, file.data, capabilities)
    if (block) blocks.push(block)
    else without.push(`${file.name} (${file.media_type})`)
  }
  return [
    { type: 'text', text: formatPrompt(request, { ...context, note: formatFilesNote(without) }) },
    ...blocks,
  ]
}

function toBlock(
  { name, media_type }: FileInput,
  data: string,
  { image, audio, embeddedContext }: Fields,
): Fields | null {
  const bytes = Buffer.byteLength(data, 'base64')
  if (/^image\//i.test(media_type) && image === true && bytes <= MOST_IMAGE)
    return { type: 'image', mimeType: media_type, data }
  if (/^audio\//i.test(media_type) && audio === true && bytes <= MOST_IMAGE)
    return { type: 'audio', mimeType: media_type, data }
  if (embeddedContext !== true || bytes > MOST_RESOURCE) return null
  const uri = `attachment:///${encodeURIComponent(name)}`
  return { type: 'resource', resource: { uri, mimeType: media_type, blob: data } }
}
