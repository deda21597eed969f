import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { fileFailure } from '@panoptes/engine/home'
import { projectName } from '@panoptes/engine/templates'
import {
  check,
  type InjectInput,
  type InjectReply,
  type InjectTarget,
  injectTarget,
  type SessionRef,
  sessionBegan,
  sessionRef,
} from '@panoptes/schema'
import { jsonProblem, parseJson } from '@panoptes/schema/json'
import { type Fields, isPlainObject } from '@panoptes/schema/plain-object'
import { formatSafeJson } from '@panoptes/schema/shown'
import type { Context } from '../../context.ts'
import { toCommandFailure, usageFailure } from '../../failure.ts'
import { resolveTarget, writeFileAtomically } from '../../output-file.ts'
import { shortenPath } from '../../terminal/format.ts'
import { plain } from '../sessions/format.ts'
import { withTemplates } from './access.ts'
import { nameText, parseTaskType } from './format.ts'

export interface InjectOptions {
  readonly type?: string
  readonly auto?: boolean
  readonly for?: string
  readonly messages?: string
  readonly project?: string
  readonly prompt?: string
  readonly session?: string
  readonly out?: string
  readonly force?: boolean
}

/** Prints a conversation with a template, and the choice with its reason to stderr. */
export async function inject(
  context: Context,
  name: string | undefined,
  options: InjectOptions,
): Promise<void> {
  const { output } = context
  const target = parseTarget(options.for)
  const which = templateChoice(name, options)
  const out =
    options.out === undefined || options.out === '-'
      ? null
      : await resolveTarget(context, options.out, options)
  const session = options.session === undefined ? undefined : parseSession(options.session)
  const payload = target === 'claude-hook' ? await payloadFrom(options.messages) : undefined
  const messages = target === 'claude-hook' ? [] : await messagesFrom(options.messages)
  const reply = await withTemplates(context, 'write', (templates) =>
    templates.inject({
      ...which,
      for: target,
      messages: [...messages],
      project: projectName(resolve(options.project ?? payload?.cwd ?? '.')),
      ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
      ...sessionFields(session, payload),
    }),
  )
  printInjection(context, reply)
  const text = reply.output === null ? '' : `${formatSafeJson(reply.output, 2)}\n`
  if (out) {
    await writeFileAtomically(out, Readable.from([Buffer.from(text)]))
    output.note(`In ${shortenPath(out)}`)
    return output.answer([], { ...reply, path: out })
  }
  if (output.json) return output.answer([], reply)
  process.stdout.write(text)
}

/** The target session from the option or the hook input. */
function sessionFields(
  session: SessionRef | undefined,
  payload: Awaited<ReturnType<typeof payloadFrom>>,
): Pick<InjectInput, 'session' | 'began'> {
  if (session) return { session, ...(payload ? { began: payload.source } : {}) }
  if (payload === undefined) return {}
  return { session: { source: 'claude-code', id: payload.session_id }, began: payload.source }
}

function parseSession(text: string): SessionRef {
  const at = text.indexOf('/')
  const checked = check(sessionRef, { source: text.slice(0, at), id: text.slice(at + 1) })
  if (at > 0 && checked.ok && checked.value.id !== '') return checked.value
  throw usageFailure(
    `${plain(text, 100)} is not a session`,
    'Pass agent and id, for example --session hermes/20260415_101500_ab12cd',
  )
}

function printInjection({ output }: Context, { template, task_type, reasons }: InjectReply): void {
  output.note(template === null ? 'No template' : `Template: ${nameText(template)} (${task_type})`)
  for (const reason of reasons) output.note(`  ${plain(reason, 300)}`)
}

function parseTarget(target: string | undefined): InjectTarget {
  const next = `Choose one of: ${injectTarget.options.join(', ')}`
  if (target === undefined) throw usageFailure('Missing --for', next)
  const checked = check(injectTarget, target)
  if (checked.ok) return checked.value
  throw usageFailure(`Unknown --for: ${plain(target, 60)}`, next)
}

function templateChoice(
  name: string | undefined,
  options: InjectOptions,
): Pick<InjectInput, 'name' | 'type' | 'auto'> {
  const { auto = false } = options
  const type = parseTaskType(options.type)
  const ways = [name !== undefined, type !== undefined, auto].filter(Boolean).length
  if (ways !== 1)
    throw usageFailure(
      ways === 0 ? 'No template chosen' : 'More than one way to choose a template',
      'Use one: a NAME, --type for the least used of a type, or --auto for the best match.',
    )
  return { ...(name === undefined ? {} : { name }), ...(type === undefined ? {} : { type }), auto }
}

/** The input of a Claude Code SessionStart hook. */
interface HookPayload {
  readonly session_id: string
  /** The source of the session start. */
  readonly source: NonNullable<InjectInput['began']>
  readonly cwd: string | null
}

const isMessages = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.every(isPlainObject)

/** Reads the conversation from a file, or from stdin for `-`. */
async function messagesFrom(place: string | undefined): Promise<readonly Fields[]> {
  if (place === undefined) return []
  const read = parsePayloadText(await textFrom(place), place)
  if (isMessages(read)) return read
  if (!isPlainObject(read) || !isMessages(read.messages)) throw noMessagesFailure(place)
  const { system, messages } = read
  // The Anthropic Messages API has the system prompt outside the messages.
  const hasSystem = typeof system === 'string' || isMessages(system)
  return hasSystem ? [{ role: 'system', content: system }, ...messages] : messages
}

/** Reads the hook input if it is required, or if stdin contains valid hook input. */
async function payloadFrom(place: string | undefined): Promise<HookPayload | undefined> {
  if (place === undefined) {
    const text = await readInput(process.stdin, { timeoutMs: 1_000 })
    try {
      return parsePayload(parseJson(text))
    } catch {
      return undefined
    }
  }
  const read = parsePayload(parsePayloadText(await textFrom(place), place))
  if (read) return read
  throw usageFailure(
    `${placeName(place)} is not a Claude Code hook input`,
    'It must be a JSON object with session_id, source and cwd.',
  )
}

function parsePayload(value: unknown): HookPayload | undefined {
  if (!isPlainObject(value)) return undefined
  const { session_id, source, cwd } = value
  if (typeof session_id !== 'string' || session_id === '') return undefined
  return {
    session_id,
    source: source === undefined ? 'startup' : parseSource(source),
    cwd: typeof cwd === 'string' ? cwd : null,
  }
}

/** Unknown sources do not count as a session start. */
function parseSource(source: unknown): HookPayload['source'] {
  const checked = check(sessionBegan, source)
  return checked.ok ? checked.value : 'resume'
}

async function textFrom(place: string): Promise<string> {
  if (place === '-') return readInput(process.stdin)
  try {
    return await readFile(place, 'utf8')
  } catch (error) {
    throw toCommandFailure(fileFailure(error, place, 'read'))
  }
}

function parsePayloadText(text: string, place: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw usageFailure(`${placeName(place)} ${jsonProblem(text)}`, 'Pass a JSON array of messages.')
  }
}

const noMessagesFailure = (place: string) =>
  usageFailure(
    `${placeName(place)} contains no messages`,
    'Pass a JSON array of objects such as {"role": "user", "content": "…"}, or an object with such an array as messages.',
  )

const placeName = (place: string): string => (place === '-' ? 'The input' : plain(place, 300))

const MOST_BYTES = 16 * 1_048_576

/**
 * Reads stdin to its end. With a timeout, it returns nothing for a terminal or if no input arrives in time,
 * because the parent process may leave stdin open forever.
 */
export async function readInput(
  input: NodeJS.ReadStream,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Promise<string> {
  if (timeoutMs !== undefined && input.isTTY) return ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  let bytes = 0
  const end = () => resolve(Buffer.concat(chunks).toString('utf8'))
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs)
  const take = (chunk: Buffer | string) => {
    clearTimeout(timer)
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > MOST_BYTES)
      reject(usageFailure('The input is larger than 16 MiB', 'Pass a shorter conversation.'))
    else chunks.push(part)
  }
  input.on('data', take).once('end', end).once('error', reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    input.off('data', take).off('end', end).off('error', reject).pause()
    input.unref?.()
  }
}
