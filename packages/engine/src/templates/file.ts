import {
  type BrokenTemplate,
  type Result,
  type SessionTemplate,
  type TemplateNotes,
  type TemplatePlace,
  taskType,
} from '@panoptes/schema'
import { jsonProblem, tryParseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { failure, success } from '@panoptes/schema/result'
import { z } from 'zod'
import { toNamedArguments } from './fields.ts'

/** No real template is nested more deeply, and other programs fail to read such a file. */
const MOST_DEPTH = 200

/** The end of the year 2199. A later creation time is usually in milliseconds. */
const LATEST = 7_258_118_400

/** The result is worth showing even if the call's arguments are not an object. */
const example = z.object({
  tool_name: z.string(),
  arguments: z
    .unknown()
    .refine((value) => value !== undefined, 'is missing')
    .transform((value) => toNamedArguments(value) ?? {}),
  result: z
    .string()
    .nullable()
    .transform((text) => text ?? ''),
  success: z.boolean(),
})

/** Missing keys get defaults, and null counts as missing. The creation time is 0 if unknown. */
const template = z.object({
  name: z.string().min(1, 'must not be empty'),
  task_type: taskType,
  examples: z.array(example).default([]),
  description: orElse(z.string(), ''),
  created_at: orElse(z.number(), 0).transform((at) => (at >= 0 && at < LATEST ? at : 0)),
  usage_count: orElse(z.int().min(0), 0),
  source_session_id: orElse(z.string().nullable(), null),
})

/** A template and where it is stored. */
export interface StoredTemplate {
  readonly template: SessionTemplate
  readonly place: TemplatePlace
  readonly file: string
}

/**
 * A stored template with what the event store knows about it; its uses are counted whoever counts
 * them.
 */
export interface TemplateEntry extends StoredTemplate {
  readonly notes: TemplateNotes | null
}

export interface FoundTemplates {
  readonly stored: readonly StoredTemplate[]
  readonly broken: readonly BrokenTemplate[]
}

function orElse<T extends z.ZodType>(type: T, otherwise: z.output<T>) {
  return z.preprocess((value) => value ?? otherwise, type)
}

/** A parsed file, including what is not part of a template. */
export interface ParsedTemplate {
  readonly template: SessionTemplate
  readonly raw: Readonly<Record<string, unknown>>
}

export function readTemplate(text: string): Result<ParsedTemplate> {
  const raw = parseJson(text)
  if (raw === undefined) return failure('corrupt', `It ${jsonProblem(text)}`)
  if (!isPlainObject(raw)) return failure('corrupt', 'It is not a JSON object')
  if (isTooDeep(raw)) return failure('corrupt', `It is nested deeper than ${MOST_DEPTH} levels`)
  const checked = template.safeParse(raw)
  if (checked.success) return success({ template: checked.data, raw })
  const [issue] = checked.error.issues
  return failure('corrupt', `${issue?.path.join('.') || 'It'}: ${issue?.message ?? 'is not a template'}`)
}

/**
 * Returns the session that a text names as its origin, even if the text is not a valid template.
 */
export function sessionIn(text: string): string | undefined {
  const raw = parseJson(text)
  return isPlainObject(raw) && typeof raw.source_session_id === 'string' ? raw.source_session_id : undefined
}

const ASCII = 0x7e

/**
 * ASCII only, as Python writes JSON, so that programs with another default encoding read the same.
 */
export const templateText = (value: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(value, null, 2).replace(/[^\n -~]/g, (letter) =>
    letter.charCodeAt(0) > ASCII ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
  )

/**
 * Matches texts, to skip them, and the numbers that Python writes but JSON lacks. An unterminated
 * text extends to the end.
 */
const NO_NUMBER = /"[^"\\]*(?:\\.?[^"\\]*)*(?:"|$)|-?Infinity|NaN/gs

function parseJson(text: string): unknown {
  const value = tryParseJson(text)
  if (value !== undefined || !/NaN|Infinity/.test(text)) return value
  return tryParseJson(text.replace(NO_NUMBER, (each) => (each.startsWith('"') ? each : 'null')))
}

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEPTH) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}
