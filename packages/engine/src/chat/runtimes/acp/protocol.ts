import { type Fields, fieldsOf } from '../fields.ts'

/** Versions of the protocol. The second is a draft: it is spoken with whoever speaks nothing else. */
export type Version = 1 | 2

export const isSpoken = (version: unknown): version is Version => version === 1 || version === 2

const ABOUT = { name: 'panoptes', title: 'Panoptes', version: '1' }

/** Each version has its own names for the same; whoever does not know one passes it over. */
export const introduction = (protocolVersion: Version): Fields => ({
  protocolVersion,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: ABOUT,
  ...(protocolVersion === 2 && { capabilities: {}, info: ABOUT }),
})

/** What an agent said of itself, in the words of the first version. */
export function introduced(version: Version, told: Fields): { capabilities: Fields; info: unknown } {
  const own = fieldsOf(told.agentCapabilities)
  if (version === 1) return { capabilities: own, info: told.agentInfo }
  const { image, audio, embeddedContext } = {
    ...fieldsOf(own.promptCapabilities),
    ...fieldsOf(fieldsOf(fieldsOf(told.capabilities).session).prompt),
  }
  return {
    capabilities: {
      promptCapabilities: {
        image: isThere(image),
        audio: isThere(audio),
        embeddedContext: isThere(embeddedContext),
      },
      // All of them can, and what was said is not told again unless it is asked for.
      sessionCapabilities: { resume: {}, close: {} },
    },
    info: told.info ?? told.agentInfo,
  }
}

const isThere = (one: unknown): boolean => one !== undefined && one !== null && one !== false

/** What is to be allowed, as a call of a tool. */
export function subjectOf({ toolCall, subject, title, description }: Fields): Fields {
  if (subject === undefined || subject === null) return { title, ...fieldsOf(toolCall) }
  const { toolCall: call, command, cwd, toolCallId } = fieldsOf(subject)
  if (typeof command !== 'string') return { ...fieldsOf(call), title }
  return { title: title ?? command, kind: 'execute', toolCallId, rawInput: { command, cwd, description } }
}
