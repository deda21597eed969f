import { z } from 'zod'
import { sessionRef } from './annotations.ts'
import { sourceName } from './event.ts'
import { timestamp } from './time.ts'

/** The kind of work that the tools of a session indicate. */
export const taskType = z.enum(['code', 'file', 'research', 'terminal', 'mixed'])
export type TaskType = z.infer<typeof taskType>

/** A successful call and its result. */
export const toolCallExample = z.object({
  tool_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  result: z.string(),
  success: z.boolean(),
})
export type ToolCallExample = z.infer<typeof toolCallExample>

/** A template as its file contains it: exactly these keys. */
export const sessionTemplate = z.object({
  name: z.string(),
  task_type: taskType,
  examples: z.array(toolCallExample),
  description: z.string().default(''),
  /** Seconds since 1970. */
  created_at: z.number().default(0),
  usage_count: z.int().default(0),
  source_session_id: z.string().nullable().default(null),
})
export type SessionTemplate = z.infer<typeof sessionTemplate>

/** The folder it is in: that of Panoptes, or that of Hermes, which is read-only. */
export const templatePlace = z.enum(['panoptes', 'hermes'])
export type TemplatePlace = z.infer<typeof templatePlace>

/** What is known about a template besides its file. */
export const templateNotes = z.object({
  /** Null if it was not made here or its session was forgotten. */
  source: sourceName.nullable(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  /** Secrets that were removed, in total and per example. */
  secrets_removed: z.int(),
  removed_by_example: z.array(z.int()),
  /** Characters of results and arguments that were left out. */
  left_out: z.int(),
})
export type TemplateNotes = z.infer<typeof templateNotes>

export const measureName = z.enum(['tool_errors', 'turns', 'tokens', 'outcome'])
export type MeasureName = z.infer<typeof measureName>

/**
 * One measure compared between sessions with and without a template. Null if there is too little
 * data.
 */
export const effectMeasure = z.object({
  name: measureName,
  /** Shares from 0 to 1 for tool errors and outcome, otherwise means. */
  with: z.number().nullable(),
  without: z.number().nullable(),
  with_sessions: z.int(),
  without_sessions: z.int(),
  /** With minus without; for tokens, the change as a share of without. */
  difference: z.number().nullable(),
  /** The 95 % interval of the difference. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  reading: z.enum(['fewer', 'more', 'unclear', 'too_few']),
})
export type EffectMeasure = z.infer<typeof effectMeasure>

export const templateVerdict = z.enum(['helps', 'harms', 'unclear', 'no_evidence', 'not_used'])
export type TemplateVerdict = z.infer<typeof templateVerdict>

/**
 * The effect of a template: how sessions with it differ from sessions of the same kind and project
 * without one.
 */
export const templateEffect = z.object({
  template: z.string(),
  place: templatePlace,
  task_type: taskType,
  /** The project of the compared sessions; null compares all. */
  project: z.string().nullable(),
  with_sessions: z.int(),
  without_sessions: z.int(),
  /** Whether sessions were assigned at random. */
  randomised: z.boolean(),
  verdict: templateVerdict,
  /** In a plain sentence. */
  says: z.string(),
  measures: z.array(effectMeasure),
  /** What to keep in mind: survivorship, sessions still running, unknown outcomes. */
  caveats: z.array(z.string()),
})
export type TemplateEffect = z.infer<typeof templateEffect>

/** A template in a list. */
export const listedTemplate = sessionTemplate.omit({ examples: true }).extend({
  /** The number of examples. */
  examples: z.int(),
  place: templatePlace,
  file: z.string(),
  notes: templateNotes.nullable(),
  effect: templateEffect.omit({ measures: true, caveats: true }).extend({ tool_errors: effectMeasure }),
})
export type ListedTemplate = z.infer<typeof listedTemplate>

/** A file that is not a valid template, and why. It is left unchanged. */
export const brokenTemplate = z.object({ file: z.string(), reason: z.string() })
export type BrokenTemplate = z.infer<typeof brokenTemplate>

export const templatesQuery = z.strictObject({ type: taskType.optional() })
export const templatesReply = z.object({
  templates: z.array(listedTemplate),
  broken: z.array(brokenTemplate),
  /** Where new templates are written. */
  folder: z.string(),
  /** Share of new sessions that get a template; null gives it to all. */
  experiment: z.number().nullable(),
})
export type TemplatesReply = z.infer<typeof templatesReply>

/** Chooses between two templates of the same name; defaults to ours. */
export const templateQuery = z.strictObject({ place: templatePlace.optional() })
export const templateReply = z.object({
  template: sessionTemplate,
  place: templatePlace,
  file: z.string(),
  notes: templateNotes.nullable(),
  effect: templateEffect,
})
export type TemplateReply = z.infer<typeof templateReply>

export const MOST_EXAMPLES = 100
export const DEFAULT_EXAMPLES = 10

export const templateInput = z.strictObject({
  source: sourceName,
  session_id: z.string(),
  name: z.string().optional(),
  type: taskType.optional(),
  max_examples: z.int().min(1).max(MOST_EXAMPLES).default(DEFAULT_EXAMPLES),
  /** Overwrites the template of this name. */
  force: z.boolean().default(false),
})
export type TemplateInput = z.input<typeof templateInput>

/** A preview of the template a session would become. */
export const templatePreview = z.object({
  template: sessionTemplate,
  notes: templateNotes,
  /** The turns examined, their calls by result, and the basis of the type. */
  turns: z.int(),
  calls: z.int(),
  failed: z.int(),
  unanswered: z.int(),
  by_type: z.record(z.string(), z.int()),
})
export type TemplatePreview = z.infer<typeof templatePreview>

export const createdTemplate = templatePreview.extend({ file: z.string() })
export type CreatedTemplate = z.infer<typeof createdTemplate>

export const deletedTemplate = z.object({ ok: z.literal(true), name: z.string() })

export const injectTarget = z.enum(['openai', 'anthropic', 'hermes-prefill', 'claude-hook'])
export type InjectTarget = z.infer<typeof injectTarget>

export const sessionBegan = z.enum(['startup', 'resume', 'clear', 'compact', 'fork'])

/** Selects a template: by name, the least used of a type, or the best match for the work. */
export const injectInput = z.strictObject({
  name: z.string().optional(),
  /** With a name: the folder; defaults to ours. */
  place: templatePlace.optional(),
  type: taskType.optional(),
  auto: z.boolean().default(false),
  for: injectTarget,
  /** The conversation it is inserted into. */
  messages: z.array(z.record(z.string(), z.unknown())).default([]),
  /** The basis of the choice if no template is named. */
  prompt: z.string().optional(),
  project: z.string().optional(),
  /** The session, if known, so that the template's effect can be measured. */
  session: sessionRef.extend({ id: z.string().min(1) }).optional(),
  /** With a session: what preceded it, according to its hook. */
  began: sessionBegan.optional(),
})
export type InjectInput = z.input<typeof injectInput>

export const injectReply = z.object({
  /** Null if no template fits, or if the experiment assigned none to this session. */
  template: z.string().nullable(),
  task_type: taskType.nullable(),
  /** Why this template was chosen, or why none was. */
  reasons: z.array(z.string()),
  /** In the requested form: messages, system and messages, or the answer of a hook. */
  output: z.unknown(),
})
export type InjectReply = z.infer<typeof injectReply>

export const suggestQuery = z.strictObject({
  project: z.string().optional(),
  days: z.coerce.number().int().min(1).max(3_650).default(30),
  limit: z.coerce.number().int().min(1).max(100).default(10),
})

/** A session that is worth a template, and why. */
export const suggestion = z.object({
  source: sourceName,
  id: z.string(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  task_type: taskType,
  last_at: timestamp.nullable(),
  calls: z.int(),
  failed: z.int(),
  /** From 0 to 1. */
  score: z.number(),
  reasons: z.array(z.string()),
})
export type Suggestion = z.infer<typeof suggestion>
export const suggestReply = z.array(suggestion)

export const effectQuery = z.strictObject({ project: z.string().optional() })
export const effectsReply = z.array(templateEffect)
