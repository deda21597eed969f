import type { ContentBlock } from '@panoptes/schema'
import { type Fields, fieldsOf, listOf, textOf, timeOf } from '../fields.ts'

/** What a file that was attached shows: an image, or its name. */
export function fileOf(part: Fields): readonly ContentBlock[] {
  const url = textOf(part.url)
  const type = textOf(part.mime)
  if (type?.startsWith('image/')) {
    const comma = url?.startsWith('data:') ? url.indexOf(',') : -1
    if (url !== null && comma > 0) return [{ type: 'image', media_type: type, data: url.slice(comma + 1) }]
    return [{ type: 'image', media_type: type, data: null, url }]
  }
  const name = textOf(part.filename) ?? (url?.startsWith('data:') ? type : url)
  return name === null ? [] : [{ type: 'text', text: name }]
}

export const callOf = (part: Fields): ContentBlock => ({
  type: 'tool_call',
  id: textOf(part.callID) ?? textOf(part.id) ?? '',
  tool: textOf(part.tool) ?? 'unknown',
  input: fieldsOf(part.state).input ?? null,
})

/** What a tool gave; nothing while it is at work. The images it gave follow its text. */
export function resultOf(part: Fields): readonly ContentBlock[] {
  const state = fieldsOf(part.state)
  if (state.status !== 'completed' && state.status !== 'error') return []
  const { exit, exitCode } = fieldsOf(state.metadata)
  const code = [exit, exitCode].find((value) => typeof value === 'number')
  const text = state.status === 'error' ? state.error : state.output
  const result: ContentBlock = {
    type: 'tool_result',
    id: textOf(part.callID) ?? textOf(part.id) ?? '',
    ok: state.status === 'completed' && (code === undefined || code === 0),
    text: typeof text === 'string' ? text : JSON.stringify(text ?? ''),
    duration_ms: durationOf(fieldsOf(state.time)),
  }
  const images = listOf(state.attachments).flatMap((file) => fileOf(fieldsOf(file)))
  return [result, ...images.filter((block) => block.type === 'image')]
}

function durationOf({ start, end }: Fields): number | null {
  const [from, to] = [timeOf(start), timeOf(end)]
  return from === null || to === null || to < from ? null : to - from
}

/** The session that a call made. */
export const madeBy = (part: Fields): string | null => {
  const state = fieldsOf(part.state)
  return textOf(fieldsOf(state.metadata).sessionId) ?? textOf(fieldsOf(state.metadata).sessionID)
}

/** When a part ended, or began. */
export function endOf(part: Fields): number | null {
  const time = fieldsOf(part.type === 'tool' ? fieldsOf(part.state).time : part.time)
  return timeOf(time.end) ?? timeOf(time.start)
}
