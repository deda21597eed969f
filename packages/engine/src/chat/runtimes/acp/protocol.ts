import { type Fields, toFields } from '../fields.ts'

/** Protocol versions. Version 2 is a draft and only used with agents that speak nothing else. */
export type Version = 1 | 2

export const isSupportedVersion = (version: unknown): version is Version => version === 1 || version === 2

const CLIENT_INFO = { name: 'panoptes', title: 'Panoptes', version: '1' }

/** Each version has its own names for the same fields; an agent ignores those it does not know. */
export const buildIntroduction = (protocolVersion: Version): Fields => ({
  protocolVersion,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: CLIENT_INFO,
  ...(protocolVersion === 2 && { capabilities: {}, info: CLIENT_INFO }),
})

/** Returns an agent's introduction with the field names of version 1. */
export function readIntroduction(
  version: Version,
  response: Fields,
): { capabilities: Fields; info: unknown } {
  const own = toFields(response.agentCapabilities)
  if (version === 1) return { capabilities: own, info: response.agentInfo }
  const { image, audio, embeddedContext } = {
    ...toFields(own.promptCapabilities),
    ...toFields(toFields(toFields(response.capabilities).session).prompt),
  }
  return {
    capabilities: {
      promptCapabilities: {
        image: isThere(image),
        audio: isThere(audio),
        embeddedContext: isThere(embeddedContext),
      },
      // Every version 2 agent can do this. It replays earlier messages only on request.
      sessionCapabilities: { resume: {}, close: {} },
    },
    info: response.info ?? response.agentInfo,
  }
}

const isThere = (one: unknown): boolean => one !== undefined && one !== null && one !== false

/** Returns the subject of a permission request as a tool call. */
export function permissionSubject({ toolCall, subject, title, description }: Fields): Fields {
  if (subject === undefined || subject === null) return { title, ...toFields(toolCall) }
  const { toolCall: call, command, cwd, toolCallId } = toFields(subject)
  if (typeof command !== 'string') return { ...toFields(call), title }
  return { title: title ?? command, kind: 'execute', toolCallId, rawInput: { command, cwd, description } }
}
