import type { FileInput } from '@panoptes/schema'
import type { Fields } from '../fields.ts'
import { promptText, type Told } from '../handed-over.ts'
import type { RuntimeRequest } from '../port.ts'

/** Bytes of one file that goes along, and of all of them; agents take no more. */
const MOST_RESOURCE = 512 * 1_024
const MOST_IMAGE = 5 * 1_024 * 1_024

/** The blocks of a prompt: one text, and the files that the agent says it takes. The texts of files are in the preamble already. */
export function promptBlocks(request: RuntimeRequest, told: Told, capabilities: Fields): readonly Fields[] {
  const blocks: Fields[] = []
  const without: string[] = []
  for (const file of request.files) {
    if (file.data === undefined) continue
    const block = blockOf(file, file.data, capabilities)
    if (block) blocks.push(block)
    else without.push(`${file.name} (${file.media_type})`)
  }
  const note =
    without.length === 0 ? '' : `\n\n(Attached, but you cannot be given it: ${without.join(', ')}.)`
  return [{ type: 'text', text: promptText(request, told) + note }, ...blocks]
}

function blockOf(
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
