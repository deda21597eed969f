import { createHash } from 'node:crypto'
import type { ResponsesRequest } from './request.ts'
import { type Fields, fields, text } from './shape.ts'

/** A tool as the client knows it. */
export interface Tool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  /** The group that it is in, where it is in one. */
  readonly namespace?: string | undefined
}

/** The tools of a request, and the way back from what a model calls to what its client knows. */
export interface Tools {
  /** What chat completions are told of them. */
  readonly asked: Fields
  readonly called: (name: string) => Tool
}

const LONGEST = 64

/** The one name that chat completions have for a tool. */
export function chatName(name: string, namespace: unknown): string {
  if (typeof namespace !== 'string' || namespace === '') return name
  const whole = `${namespace}__${name}`
  if (whole.length <= LONGEST) return whole
  const mark = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${whole.slice(0, LONGEST - mark.length - 1)}_${mark}`
}

/** Functions, and what is written freely as a function of one text. Tools that OpenAI runs itself are left out. */
export function toolsOf(request: ResponsesRequest): Tools {
  const known = new Map<string, Tool>()
  const tools = (request.tools ?? []).flatMap((given) => chatTools(given, undefined, known))
  const { tool_choice: chosen, parallel_tool_calls: parallel } = request as Fields
  return {
    asked:
      tools.length === 0
        ? {}
        : {
            tools,
            ...choiceOf(chosen, known),
            ...(typeof parallel === 'boolean' ? { parallel_tool_calls: parallel } : {}),
          },
    called: (name) => known.get(name) ?? { kind: 'function', name },
  }
}

function chatTools(given: unknown, namespace: string | undefined, known: Map<string, Tool>): Fields[] {
  const { type, name, description, parameters, strict, format, tools } = fields(given)
  if (typeof name !== 'string' || name === '') return []
  if (type === 'namespace' && namespace === undefined && Array.isArray(tools))
    return tools.flatMap((tool) => chatTools(tool, name, known))
  if (type !== 'function' && type !== 'custom') return []
  const called = chatName(name, namespace)
  known.set(called, { kind: type, name, namespace })
  const made =
    type === 'custom'
      ? { description: freely(description, fields(format)), parameters: FREELY }
      : {
          ...(typeof description === 'string' ? { description } : {}),
          parameters: parameters ?? { type: 'object', properties: {} },
          ...(typeof strict === 'boolean' ? { strict } : {}),
        }
  return [{ type: 'function', function: { name: called, ...made } }]
}

const FREELY = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as it is.' } },
  required: ['input'],
  additionalProperties: false,
}

function freely(description: unknown, { type, syntax, definition }: Fields): string {
  const said = text(description)
  return type === 'grammar' ? `${said}\n\nThe input keeps to this ${syntax} grammar:\n${definition}` : said
}

/** What was written freely, out of the arguments of the function that stood for it. */
export function freeInput(given: string): string {
  try {
    const { input } = fields(JSON.parse(given))
    return typeof input === 'string' ? input : given
  } catch {
    return given
  }
}

function choiceOf(chosen: unknown, known: ReadonlyMap<string, Tool>): Fields {
  if (typeof chosen === 'string') return { tool_choice: chosen }
  const { type, mode, tools } = fields(chosen)
  if (type === 'allowed_tools' && Array.isArray(tools)) {
    const allowed = tools.map((tool) => named(tool, known)).filter((tool) => tool !== undefined)
    return allowed.length === 0
      ? {}
      : { tool_choice: { type, allowed_tools: { mode: mode ?? 'auto', tools: allowed } } }
  }
  const one = named(chosen, known)
  return one ? { tool_choice: one } : {}
}

function named(chosen: unknown, known: ReadonlyMap<string, Tool>): Fields | undefined {
  const { name, namespace } = fields(chosen)
  const called = chatName(text(name), namespace)
  return known.has(called) ? { type: 'function', function: { name: called } } : undefined
}
