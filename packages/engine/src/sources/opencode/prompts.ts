import type { ContentBlock, Message } from '@panoptes/schema'
import { type Fields, textOf } from '../fields.ts'
import { fileOf } from './parts.ts'
import type { Frame, Told } from './replies.ts'

/** What a person asked, and apart from it what OpenCode added by itself, as the text of an attached file. */
export function promptsOf(frame: Frame, parts: readonly Fields[]): Told {
  const own: ContentBlock[] = []
  const added: ContentBlock[] = []
  const problems: string[] = []
  for (const part of parts) {
    const blocks = blocksOf(part)
    if (blocks === undefined) problems.push('has a part of a kind that is not known')
    else (part.synthetic === true ? added : own).push(...blocks)
  }
  const message = (id: string, content: ContentBlock[], hidden: boolean): Message => ({
    ...frame,
    id,
    role: 'user',
    model: null,
    content,
    usage: null,
    hidden,
  })
  const messages = [
    ...(own.length > 0 ? [message(frame.id, own, false)] : []),
    ...(added.length > 0 ? [message(own.length > 0 ? `${frame.id}:added` : frame.id, added, true)] : []),
  ]
  return { messages, problems }
}

/** Nothing to show of who is spoken to, and of an order to make a summary. */
const SILENT = ['agent', 'compaction', 'snapshot', 'patch', 'step-start', 'step-finish']

function blocksOf(part: Fields): readonly ContentBlock[] | undefined {
  if (part.type === 'text') return [{ type: 'text', text: String(part.text ?? '') }]
  if (part.type === 'file') return fileOf(part)
  if (part.type === 'subtask') {
    const text = textOf(part.prompt) ?? textOf(part.description)
    return text === null ? [] : [{ type: 'text', text }]
  }
  return SILENT.includes(String(part.type)) ? [] : undefined
}
