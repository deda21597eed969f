import type { Conversation, StoredChatMessage } from '@panoptes/schema'
import { z } from 'zod'

export const exportQuery = z.object({ format: z.enum(['markdown', 'json']).default('markdown') })

/** A conversation as a file. What runtimes need to go on is theirs, and stays here. */
export function exportOf(conversation: Conversation, format: 'markdown' | 'json'): Response {
  const { agent_state: _state, run_id: _run, ...told } = conversation
  const text = format === 'json' ? `${JSON.stringify(told, null, 2)}\n` : markdownOf(conversation)
  const type = format === 'json' ? 'application/json' : 'text/markdown; charset=utf-8'
  const name = `${conversation.id}.${format === 'json' ? 'json' : 'md'}`
  return new Response(text, {
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
  })
}

const markdownOf = ({ title, messages }: Conversation): string =>
  `${[`# ${title.replace(/\s+/g, ' ').trim() || 'Conversation'}`, ...messages.map(sectionOf)].join('\n\n')}\n`

function sectionOf({ role, runtime, model, ts, content, status, files, error }: StoredChatMessage): string {
  const who = role === 'user' ? 'You' : [runtime, model].filter(Boolean).join(' · ')
  const mark = status === 'complete' ? '' : ` · ${status}`
  const lines = [
    `## ${who} · ${new Date(ts).toISOString()}${mark}`,
    content,
    ...files.map(({ name, bytes }) => `- file: ${name} (${bytes} bytes)`),
    ...(error ? [`> ${error.message}`] : []),
  ]
  return lines.filter((line) => line !== '').join('\n\n')
}
