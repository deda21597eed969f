import type { Conversation, StoredChatMessage } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { formatSafeJson, markdownLine, markdownText } from '@panoptes/schema/shown'
import { z } from 'zod'

export const exportQuery = z.object({ format: z.enum(['markdown', 'json']).default('markdown') })

/** Writes a conversation as a file. State that a runtime needs to resume is left out. */
export function exportConversation(conversation: Conversation, format: 'markdown' | 'json'): Response {
  const { agent_state: _state, run_id: _run, ...publicFields } = conversation
  const text = format === 'json' ? `${formatSafeJson(publicFields, 2)}\n` : toMarkdown(conversation)
  const type = format === 'json' ? 'application/json' : 'text/markdown; charset=utf-8'
  return new Response(text, {
    headers: {
      'content-type': type,
      'content-disposition': disposition(conversation, format === 'json' ? 'json' : 'md'),
    },
  })
}

const LONGEST_NAME = 80

/**
 * Names the file after the title, with only the letters and digits that every header accepts; after the id if the
 * title has none.
 */
function disposition({ id, title }: Conversation, ending: string): string {
  const toFileName = (text: string, others: RegExp) =>
    `${
      [...text.replace(others, '-')]
        .slice(0, LONGEST_NAME)
        .join('')
        .replace(/^-+|-+$/g, '') || id
    }.${ending}`
  const plain = toFileName(title.toLowerCase(), /[^a-z0-9]+/g)
  const whole = toFileName(title.toLowerCase(), /[^\p{L}\p{M}\p{N}]+/gu)
  const also = whole === plain ? '' : `; filename*=UTF-8''${encodeURIComponent(whole.toWellFormed())}`
  return `attachment; filename="${plain}"${also}`
}

const toMarkdown = ({ title, messages }: Conversation): string =>
  `${[`# ${line(title) || 'Conversation'}`, ...messages.map(messageSection)].join('\n\n')}\n`

const MOST_LINE = 500
const line = (text: string): string => markdownLine(text, MOST_LINE)

const NAMES: Readonly<Record<string, string>> = { jarvis: 'Jarvis', hermes: 'Hermes' }

const runtimeName = (runtime: string): string => NAMES[runtime] ?? runtime.replace(/^acp:/, '')

function messageSection({
  role,
  runtime,
  model,
  ts,
  content,
  status,
  files,
  error,
}: StoredChatMessage): string {
  const who =
    role === 'user' ? 'You' : line([runtime && runtimeName(runtime), model].filter(Boolean).join(' · '))
  const mark = status === 'complete' ? '' : ` · ${status}`
  const lines = [
    `## ${who} · ${new Date(ts).toISOString()}${mark}`,
    markdownText(content),
    ...files.map(({ name, bytes }) => `- file: ${line(name)} (${plural(bytes, 'byte')})`),
    ...(error ? [`> ${line(error.message)}`] : []),
  ]
  return lines.filter((line) => line !== '').join('\n\n')
}
