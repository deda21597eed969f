import { type Result, type SessionTemplate, taskType } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { z } from 'zod'
import { isFields, namedArguments, parsedJson } from './fields.ts'

/** Deeper than this nothing that was meant as a template is, and other programs fail to read it. */
const MOST_DEPTH = 200

/** The end of the year 2199. Later is no time of making: most often milliseconds. */
const LATEST = 7_258_118_400

/** Whatever a call was given that is no object, its result is still worth showing. */
const example = z.object({
  tool_name: z.string(),
  arguments: z
    .unknown()
    .refine((value) => value !== undefined, 'is missing')
    .transform((value) => namedArguments(value) ?? {}),
  result: z
    .string()
    .nullable()
    .transform((text) => text ?? ''),
  success: z.boolean(),
})

/** What the file may leave out has a value; null counts as left out. When it was made is 0 where that is not known. */
const template = z.object({
  name: z.string().min(1, 'must not be empty'),
  task_type: taskType,
  examples: z.array(example).default([]),
  description: orElse(z.string(), ''),
  created_at: orElse(z.number(), 0).transform((at) => (at >= 0 && at < LATEST ? at : 0)),
  usage_count: orElse(z.int().min(0), 0),
  source_session_id: orElse(z.string().nullable(), null),
})

function orElse<T extends z.ZodType>(type: T, otherwise: z.output<T>) {
  return z.preprocess((value) => value ?? otherwise, type)
}

/** A file as it was read: also what in it is no part of a template. */
export interface Read {
  readonly template: SessionTemplate
  readonly raw: Readonly<Record<string, unknown>>
}

export function readTemplate(text: string): Result<Read> {
  const raw = parsed(text)
  if (raw === undefined) return failure('corrupt', 'It is not JSON')
  if (!isFields(raw)) return failure('corrupt', 'It is not a JSON object')
  if (isTooDeep(raw)) return failure('corrupt', `It is nested deeper than ${MOST_DEPTH} levels`)
  const checked = template.safeParse(raw)
  if (checked.success) return success({ template: checked.data, raw })
  const [issue] = checked.error.issues
  return failure('corrupt', `${issue?.path.join('.') || 'It'}: ${issue?.message ?? 'is no template'}`)
}

/** The session that a text says it was made from, whatever else it is. */
export function sessionIn(text: string): string | undefined {
  const raw = parsed(text)
  return isFields(raw) && typeof raw.source_session_id === 'string' ? raw.source_session_id : undefined
}

const ASCII = 0x7e

/** In ASCII alone, as Python writes JSON: a program that reads it in another encoding gets the same. */
export const templateText = (value: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(value, null, 2).replace(/[^\n -~]/g, (letter) =>
    letter.charCodeAt(0) > ASCII ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
  )

/** Texts, so that they are passed over, and the numbers that Python writes and JSON does not have. A text without an end goes to the end. */
const NO_NUMBER = /"[^"\\]*(?:\\.?[^"\\]*)*(?:"|$)|-?Infinity|NaN/gs

function parsed(text: string): unknown {
  const value = parsedJson(text)
  if (value !== undefined || !/NaN|Infinity/.test(text)) return value
  return parsedJson(text.replace(NO_NUMBER, (each) => (each.startsWith('"') ? each : 'null')))
}

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEPTH) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}
