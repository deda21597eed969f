import { createHash } from 'node:crypto'
import { parseJson } from '@panoptes/schema/json'
import { type Fields, toFields } from '@panoptes/schema/plain-object'
import { text } from './fields.ts'
import type { ResponsesRequest } from './request.ts'

/** A tool under the name that the client knows. */
export interface Tool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  /** The namespace of the tool, if it has one. */
  readonly namespace?: string | undefined
}

/** The tools of a request, and the mapping from the name that a model calls back to the tool of the client. */
export interface Tools {
  /** The `tools` parameters for chat completions. */
  readonly parameters: Fields
  readonly findTool: (name: string) => Tool
}

const LONGEST = 64

/** Combines name and namespace, since chat completions have one name per tool. */
export function chatName(name: string, namespace: unknown): string {
  if (typeof namespace !== 'string' || namespace === '') return name
  const whole = `${namespace}__${name}`
  if (whole.length <= LONGEST) return whole
  const mark = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${whole.slice(0, LONGEST - mark.length - 1)}_${mark}`
}

/**
 * Reads functions and free-form tools; the latter become functions with one text argument. Tools that OpenAI runs
 * itself are dropped.
 */
export function parseTools(request: ResponsesRequest): Tools {
  const toolsByName = new Map<string, Tool>()
  const tools = (request.tools ?? []).flatMap((definition) => chatTools(definition, undefined, toolsByName))
  const { tool_choice: chosen, parallel_tool_calls: parallel } = request as Fields
  return {
    parameters:
      tools.length === 0
        ? {}
        : {
            tools,
            ...toToolChoice(chosen, toolsByName),
            ...(typeof parallel === 'boolean' ? { parallel_tool_calls: parallel } : {}),
          },
    findTool: (name) => toolsByName.get(name) ?? { kind: 'function', name },
  }
}

function chatTools(
  definition: unknown,
  namespace: string | undefined,
  toolsByName: Map<string, Tool>,
): Fields[] {
  const { type, name, description, parameters, strict, format, tools } = toFields(definition)
  if (typeof name !== 'string' || name === '') return []
  if (type === 'namespace' && namespace === undefined && Array.isArray(tools))
    return tools.flatMap((tool) => chatTools(tool, name, toolsByName))
  if (type !== 'function' && type !== 'custom') return []
  const called = chatName(name, namespace)
  toolsByName.set(called, { kind: type, name, namespace })
  const made =
    type === 'custom'
      ? { description: describeFreeInput(description, toFields(format)), parameters: FREE_INPUT }
      : {
          ...(typeof description === 'string' ? { description } : {}),
          parameters: parameters ?? { type: 'object', properties: {} },
          ...(typeof strict === 'boolean' ? { strict } : {}),
        }
  return [{ type: 'function', function: { name: called, ...made } }]
}

const FREE_INPUT = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The complete input of the tool, unchanged.' } },
  required: ['input'],
  additionalProperties: false,
}

function describeFreeInput(description: unknown, { type, syntax, definition }: Fields): string {
  const summary = text(description)
  return type === 'grammar'
    ? `${summary}\n\nThe input follows this ${syntax} grammar:\n${definition}`
    : summary
}

/** Extracts the text of a free-form tool from the arguments of the function that stands for it. */
export function freeInput(args: string): string {
  try {
    const { input } = toFields(parseJson(args))
    return typeof input === 'string' ? input : args
  } catch {
    return args
  }
}

function toToolChoice(chosen: unknown, toolsByName: ReadonlyMap<string, Tool>): Fields {
  if (typeof chosen === 'string') return { tool_choice: chosen }
  const { type, mode, tools } = toFields(chosen)
  if (type === 'allowed_tools' && Array.isArray(tools)) {
    const allowed = tools
      .map((tool) => toFunctionChoice(tool, toolsByName))
      .filter((tool) => tool !== undefined)
    return allowed.length === 0
      ? {}
      : { tool_choice: { type, allowed_tools: { mode: mode ?? 'auto', tools: allowed } } }
  }
  const one = toFunctionChoice(chosen, toolsByName)
  return one ? { tool_choice: one } : {}
}

function toFunctionChoice(chosen: unknown, toolsByName: ReadonlyMap<string, Tool>): Fields | undefined {
  const { name, namespace } = toFields(chosen)
  const called = chatName(text(name), namespace)
  return toolsByName.has(called) ? { type: 'function', function: { name: called } } : undefined
}
