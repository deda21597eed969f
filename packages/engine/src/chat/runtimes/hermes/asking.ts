import type { FileInput } from '@panoptes/schema'
import type { Fields } from '../fields.ts'
import { newest, promptText } from '../handed-over.ts'
import type { RuntimeRequest, SaidBefore } from '../port.ts'

/** Hermes takes 10 MB in all. */
const MOST_IMAGES = 6_000_000
const MOST_HISTORY = 1_000_000

/** For a session that remembers: what is new. For one that does not: all of it, as one message. */
export const sessionBody = (request: RuntimeRequest, remembers: boolean): Fields => ({
  message: withImages(
    promptText(request, { baseline: '', since: remembers ? request.handover : request.history }),
    request.files,
  ),
  ...told('system_message', request),
})

/** A run begins with nothing but what it is told. */
export function runBody(request: RuntimeRequest, session: string): Fields {
  const content = withImages(promptText(request, { baseline: '', since: [] }), request.files)
  const history = historyOf(request)
  return {
    input: typeof content === 'string' ? content : [{ role: 'user', content }],
    session_id: session,
    ...(history.length === 0 ? {} : { conversation_history: history }),
    ...told('instructions', request),
  }
}

export function completionBody(request: RuntimeRequest, model: string): Fields {
  const { baseline } = request
  const content = withImages(promptText(request, { baseline: '', since: [] }), request.files)
  return {
    model: request.model ?? model,
    stream: true,
    messages: [
      ...(baseline === '' ? [] : [{ role: 'system', content: baseline }]),
      ...historyOf(request),
      { role: 'user', content },
    ],
  }
}

/** What Hermes is told on top of what it tells itself; the same, byte for byte, while an epoch lasts. */
const told = (name: string, { baseline, model }: RuntimeRequest): Fields => ({
  ...(baseline === '' ? {} : { [name]: baseline }),
  ...(model === null ? {} : { model }),
})

const historyOf = ({ history }: RuntimeRequest): readonly Fields[] =>
  newest(history, MOST_HISTORY).said.map(({ role, content, preamble }: SaidBefore) => ({
    role,
    content: role === 'user' && preamble ? `${preamble}\n\n${content}` : content,
  }))

function withImages(text: string, files: readonly FileInput[]): string | readonly Fields[] {
  const images: Fields[] = []
  const without: string[] = []
  let room = MOST_IMAGES
  for (const { name, media_type, data } of files) {
    if (data === undefined) continue
    if (/^image\/(?:png|jpe?g|gif|webp)$/i.test(media_type) && data.length <= room) {
      room -= data.length
      const type = media_type.toLowerCase().replace('/jpg', '/jpeg')
      images.push({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } })
    } else without.push(`${name} (${media_type})`)
  }
  const note =
    without.length === 0 ? '' : `\n\n(Attached, but you cannot be given it: ${without.join(', ')}.)`
  return images.length === 0 ? `${text}${note}` : [{ type: 'text', text: `${text}${note}` }, ...images]
}
