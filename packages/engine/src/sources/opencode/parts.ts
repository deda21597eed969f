import type { ContentBlock } from '@panoptes/schema'
import { type Fields, toFields, toList, toText, toTime } from '../fields.ts'

/** Converts an attached file: an image, or its name. */
export function fileBlocks(part: Fields): readonly ContentBlock[] {
  const url = toText(part.url)
  const type = toText(part.mime)
  if (type?.startsWith('image/')) {
    const comma = url?.startsWith('data:') ? url.indexOf(',') : -1
    if (url !== null && comma > 0) return [{ type: 'image', media_type: type, data: url.slice(comma + 1) }]
    return [{ type: 'image', media_type: type, data: null, url }]
  }
  const name = toText(part.filename) ?? (url?.startsWith('data:') ? type : url)
  return name === null ? [] : [{ type: 'text', text: name }]
}

export const toCall = (part: Fields): ContentBlock => ({
  type: 'tool_call',
  id: toText(part.callID) ?? toText(part.id) ?? '',
  tool: toText(part.tool) ?? 'unknown',
  input: toFields(part.state).input ?? null,
})

/** OpenCode's error texts for denied and interrupted calls. */
const DENIED =
  /^(?:The user rejected permission\b|The user has specified a rule which prevents|Tool execution aborted|Cancelled$)/

/** Converts the result of a tool call; empty while it is running. Images follow the text. */
export function toResults(part: Fields): readonly ContentBlock[] {
  const state = toFields(part.state)
  if (state.status !== 'completed' && state.status !== 'error') return []
  const { exit, exitCode, interrupted } = toFields(state.metadata)
  const code = [exit, exitCode].find((value) => typeof value === 'number')
  const text = state.status === 'error' ? state.error : state.output
  const isDenied = state.status === 'error' && (interrupted === true || DENIED.test(String(state.error)))
  const result: ContentBlock = {
    type: 'tool_result',
    id: toText(part.callID) ?? toText(part.id) ?? '',
    ok: isDenied ? null : state.status === 'completed' && (code === undefined || code === 0),
    text: typeof text === 'string' ? text : JSON.stringify(text ?? ''),
    duration_ms: toDuration(toFields(state.time)),
  }
  const images = toList(state.attachments).flatMap((file) => fileBlocks(toFields(file)))
  return [result, ...images.filter((block) => block.type === 'image')]
}

function toDuration({ start, end }: Fields): number | null {
  const [from, to] = [toTime(start), toTime(end)]
  return from === null || to === null || to < from ? null : to - from
}

/** Returns the session that a call created. */
export const madeBy = (part: Fields): string | null => {
  const state = toFields(part.state)
  return toText(toFields(state.metadata).sessionId) ?? toText(toFields(state.metadata).sessionID)
}

/** Returns when a part ended, or else began. */
export function partEnd(part: Fields): number | null {
  const time = toFields(part.type === 'tool' ? toFields(part.state).time : part.time)
  return toTime(time.end) ?? toTime(time.start)
}
