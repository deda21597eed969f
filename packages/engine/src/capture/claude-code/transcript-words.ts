import { redactText } from '@panoptes/engine/redact'
import { preview } from '../preview.ts'
import { isAgentTool } from './agent-call.ts'
import { type Fields, nameOf, textOf } from './fields.ts'

/** It is stored with the place in the file: without secrets, as everything is. */
const kept = (text: string): string => redactText(preview(text)).text.slice(0, 400)

/** What a person typed, of the tags that the client makes of it. */
export const commandIn = (text: string): string => {
  const within = (tag: string) => text.split(`<${tag}>`, 2)[1]?.split(`</${tag}>`, 1)[0] ?? ''
  return kept(`${within('command-name')} ${within('command-args')}`).trim()
}

const KEPT = ['description', 'name', 'subagent_type', 'model', 'skill'] as const

/** Of the input of a call that makes an agent, what its end does not tell again. */
export function keptOf(tool: string, input: Fields): Record<string, string> | undefined {
  if (!isAgentTool(tool) && tool !== 'Skill') return undefined
  const fields = KEPT.flatMap((key) => {
    const value = textOf(input[key])
    return value === undefined ? [] : [[key, kept(value)] as const]
  })
  return Object.fromEntries(fields)
}

/** The agent that works on in the background, where the call made one. */
export const launched = (result: Fields): string | undefined =>
  result.status === 'async_launched' ? nameOf(result.agentId) : undefined

/** Which of the things in the background a message of the client is about. */
export const taskIn = (text: string): string | undefined =>
  text.trimStart().startsWith('<task-notification>')
    ? nameOf(/<task-id>([^<]*)<\/task-id>/.exec(text.slice(0, 2_000))?.[1]?.trim())
    : undefined
