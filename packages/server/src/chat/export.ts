import type { Conversation, StoredChatMessage } from '@panoptes/schema'
import { z } from 'zod'

export const exportQuery = z.object({ format: z.enum(['markdown', 'json']).default('markdown') })

/** A conversation as a file. What runtimes need to go on is theirs, and stays here. */
export function exportOf(conversation: Conversation, format: 'markdown' | 'json'): Response {
  const { agent_state: _state, run_id: _run, ...told } = conversation
  const text = format === 'json' ? `${JSON.stringify(told, null, 2)}\n` : markdownOf(conversation)
  const type = format === 'json' ? 'application/json' : 'text/markdown; charset=utf-8'
  return new Response(text, {
    headers: {
      'content-type': type,
      'content-disposition': disposition(conversation, format === 'json' ? 'json' : 'md'),
    },
  })
}

const LONGEST_NAME = 80

/** By its title: letters and digits alone, in those that every header takes and as they are; by its id where there are none. */
function disposition({ id, title }: Conversation, ending: string): string {
  const named = (text: string, others: RegExp) =>
    `${
      [...text.replace(others, '-')]
        .slice(0, LONGEST_NAME)
        .join('')
        .replace(/^-+|-+$/g, '') || id
    }.${ending}`
  const plain = named(title.toLowerCase(), /[^a-z0-9]+/g)
  const whole = named(title.toLowerCase(), /[^\p{L}\p{M}\p{N}]+/gu)
  const also = whole === plain ? '' : `; filename*=UTF-8''${encodeURIComponent(whole.toWellFormed())}`
  return `attachment; filename="${plain}"${also}`
}

const markdownOf = ({ title, messages }: Conversation): string =>
  `${[`# ${title.replace(/\s+/g, ' ').trim() || 'Conversation'}`, ...messages.map(sectionOf)].join('\n\n')}\n`

const NAMES: Readonly<Record<string, string>> = { jarvis: 'Jarvis', hermes: 'Hermes' }

const nameOf = (runtime: string): string => NAMES[runtime] ?? runtime.replace(/^acp:/, '')

function sectionOf({ role, runtime, model, ts, content, status, files, error }: StoredChatMessage): string {
  const who = role === 'user' ? 'You' : [runtime && nameOf(runtime), model].filter(Boolean).join(' · ')
  const mark = status === 'complete' ? '' : ` · ${status}`
  const lines = [
    `## ${who} · ${new Date(ts).toISOString()}${mark}`,
    content,
    ...files.map(({ name, bytes }) => `- file: ${name} (${bytes} bytes)`),
    ...(error ? [`> ${error.message}`] : []),
  ]
  return lines.filter((line) => line !== '').join('\n\n')
}
