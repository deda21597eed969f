import { readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ChatInput, type ConversationHead, type FileInput, toRuntimeId } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { running } from '../../daemon/running.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { canAsk } from '../../terminal/confirm.ts'
import { plural } from '../../terminal/format.ts'
import { TypedLines } from '../../terminal/line-reader.ts'
import { plain } from '../sessions/format.ts'
import { type ConversationClient, createConversationClient, sendMessage } from './conversation-client.ts'
import { type AnswerEnd, show, toCommandFailure } from './show.ts'

export interface ChatOptions {
  readonly runtime?: string
  readonly model?: string
  readonly resume?: string
  readonly file?: readonly string[]
  readonly template?: string
}

/** Sends one message and shows its answer, or opens a prompt. */
export async function chat(context: Context, words: readonly string[], options: ChatOptions): Promise<void> {
  const message = await readMessage(words)
  const isPrompt = message === null
  const files = await readFiles(options.file ?? [])
  if (message?.trim() === '' && options.resume === undefined) throw emptyMessage()
  const talk = createConversationClient(await running(context))
  const there = options.resume === undefined ? null : await findConversation(talk, options.resume)
  const first = { files, template: options.template }
  const runtimeOptions = { runtime: options.runtime, model: options.model }
  if (isPrompt) return runPrompt(context, talk, there, { ...runtimeOptions, ...first })
  if (message.trim() === '') return attach(context, talk, there)
  const input = buildChatInput(message, { ...runtimeOptions, ...first })
  const { id, events } = await sendMessage(talk, there?.id ?? null, input)
  reportEnd(context, await show(context, talk, id, events), id)
}

/** Null opens a prompt. */
async function readMessage(words: readonly string[]): Promise<string | null> {
  if (words.length === 0) return canAsk() ? null : text(process.stdin)
  if (words.at(-1) !== '-') return words.join(' ')
  return [words.slice(0, -1).join(' '), await text(process.stdin)].filter((part) => part !== '').join('\n\n')
}

/** Follows a running answer. */
async function attach(
  context: Context,
  talk: ConversationClient,
  there: ConversationHead | null,
): Promise<void> {
  if (there === null || there.run_id === null) throw emptyMessage()
  reportEnd(context, await show(context, talk, there.id, await talk.follow(there.id, null)), there.id)
}

function reportEnd({ output }: Context, ended: AnswerEnd, id: string): void {
  const next = `Continue with: panoptes chat --resume ${id}`
  if (ended.how === 'failed') {
    // The error event is already the last line.
    if (output.json) process.exitCode = EXIT.failed
    else throw toCommandFailure(ended.error)
  } else if (ended.done.outcome === 'cancelled') {
    if (output.json) process.exitCode = EXIT.interrupted
    else throw stopped(`The conversation so far is saved. ${next}`)
  } else {
    if (ended.done.outcome === 'length')
      output.note('The answer was cut off because it reached the maximum length.')
    output.aside(next)
  }
}

const emptyMessage = (): CommandFailure =>
  new CommandFailure('The message is empty', {
    code: 'usage',
    next: 'Pass it as an argument, or use - to read it from stdin.',
    exit: EXIT.usage,
  })

const MOST = 500

/** Finds a conversation by its id or an id prefix, or takes the newest. */
async function findConversation(
  talk: Pick<ConversationClient, 'newest'>,
  wanted: string,
): Promise<ConversationHead> {
  const [last, ...more] = await talk.newest(wanted === 'last' ? 1 : MOST)
  if (last === undefined) throw notFound('There are no conversations yet', 'Start one with: panoptes chat')
  if (wanted === 'last') return last
  const all = [last, ...more]
  const startsWithId = ({ id }: ConversationHead) => id.startsWith(wanted) || id.startsWith(`chat-${wanted}`)
  const found = all.filter(({ id }) => id === wanted)
  const [one, other] = found.length > 0 ? found : all.filter(startsWithId)
  if (one === undefined)
    throw notFound(
      `No conversation ${wanted}`,
      'List conversations: panoptes sessions list --source panoptes',
    )
  if (other === undefined) return one
  const names = all
    .filter(startsWithId)
    .slice(0, 5)
    .map(({ id, title }) => `${id} (${plain(title, 40)})`)
  throw new CommandFailure(`${wanted} matches several conversations`, {
    code: 'usage',
    next: `Use a longer id: ${names.join(', ')}`,
  })
}

const notFound = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'not_found', next })

const MOST_BYTES = 8_000_000

/** File name extensions of binary files. */
const MEDIA: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
}

/** Reads attachments as text or as bytes. */
const readFiles = (paths: readonly string[]): Promise<FileInput[]> => Promise.all(paths.map(readAttachment))

async function readAttachment(path: string): Promise<FileInput> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / 1_000_000} MB`)
    const bytes = await readFile(path)
    const name = basename(path)
    const media_type = MEDIA[extname(path).toLowerCase()]
    const text = media_type === undefined ? asText(bytes) : null
    return text === null
      ? { name, media_type: media_type ?? 'application/octet-stream', data: bytes.toString('base64') }
      : { name, media_type: 'text/plain', text }
  } catch (error) {
    throw new CommandFailure(`Cannot attach ${path}: ${describeReadError(error as NodeJS.ErrnoException)}`, {
      code: 'usage',
      next: 'Check the path.',
      exit: EXIT.usage,
    })
  }
}

function describeReadError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it does not exist'
  if (code === 'EISDIR') return 'it is a folder'
  return code === 'EACCES' ? 'permission denied' : message
}

function asText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

const HELP = `  /runtime NAME   switch the runtime
  /model NAME     switch the model
  /new            start a new conversation
  /quit           quit (or Ctrl-D)`

/** Runs the prompt until the user quits. Errors and failed answers do not end it. */
async function runPrompt(
  context: Context,
  talk: ConversationClient,
  there: ConversationHead | null,
  first: InputOptions,
): Promise<void> {
  const { output } = context
  const lines = new TypedLines()
  let id = there?.id ?? null
  let inputOptions: InputOptions = first
  if (there)
    output.aside(`${plain(there.title || there.id, 80)} · ${plural(there.messages_count, 'message')}`)
  output.aside('Type /help for commands. Ctrl-C stops an answer, Ctrl-D quits.')
  const runAnswer = async (work: () => Promise<string>): Promise<void> => {
    try {
      id = await work()
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      output.failed(error)
    }
  }
  if (there && there.run_id !== null)
    await runAnswer(() => showAnswer(context, talk, there.id, lines, () => talk.follow(there.id, null)))
  for (;;) {
    const typed = await lines.next('› ')
    if (typeof typed === 'string') break
    const line = typed.text.trim()
    if (line === '') continue
    if (line.startsWith('/')) {
      const [word = '', value = ''] = line.split(/\s+/, 2)
      if (word === '/quit') break
      if (word === '/new') id = null
      else if (word === '/runtime' && value !== '')
        inputOptions = { ...inputOptions, runtime: toRuntimeId(value), model: undefined }
      else if (word === '/model' && value !== '') inputOptions = { ...inputOptions, model: value }
      else {
        output.note(HELP)
        continue
      }
      output.aside(describeNextMessage(word, inputOptions))
      continue
    }
    await runAnswer(async () => {
      const reply = await sendMessage(talk, id, buildChatInput(typed.text, inputOptions))
      id = reply.id
      return showAnswer(context, talk, reply.id, lines, async () => reply.events)
    })
    // Attachments and templates apply only to the first message.
    inputOptions = { ...inputOptions, files: [], template: undefined }
  }
  lines.close()
  if (id !== null) output.aside(`Continue with: panoptes chat --resume ${id}`)
}

/** Applies a prompt command. The server checks the runtime or model with the next message. */
function describeNextMessage(word: string, { runtime, model }: InputOptions): string {
  if (word === '/new') return 'The next message starts a new conversation.'
  const who = [runtime?.replace(/^acp:/, ''), model].filter(Boolean).join(' · ')
  return `The next message goes to ${plain(who, 120)}.`
}

async function showAnswer(
  context: Context,
  talk: ConversationClient,
  id: string,
  lines: TypedLines,
  begin: () => ReturnType<ConversationClient['say']>,
): Promise<string> {
  const ended = await show(context, talk, id, await begin(), lines)
  if (ended.how === 'failed') throw toCommandFailure(ended.error)
  if (ended.done.outcome === 'cancelled') context.output.aside('Stopped. The answer so far is saved.')
  return id
}

interface InputOptions {
  readonly runtime?: string | undefined
  readonly model?: string | undefined
  readonly template?: string | undefined
  readonly files?: ChatInput['files'] | undefined
}

function buildChatInput(message: string, { runtime, model, template, files = [] }: InputOptions): ChatInput {
  return {
    message,
    ...(files.length === 0 ? {} : { files }),
    ...(runtime === undefined ? {} : { runtime: toRuntimeId(runtime) }),
    ...(model === undefined ? {} : { model }),
    ...(template === undefined ? {} : { template }),
  }
}
