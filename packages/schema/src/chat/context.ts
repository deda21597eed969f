import { z } from 'zod'

/** `unavailable` could not be asked now; `absent` has nothing to say. */
export const sectionStatus = z.enum(['ok', 'absent', 'unavailable'])
export type SectionStatus = z.infer<typeof sectionStatus>

/** What became of one part of a context. */
export const contextSection = z.object({
  key: z.string(),
  title: z.string(),
  status: sectionStatus,
  chars: z.int(),
  /** Estimated. */
  tokens: z.int(),
  /** How many things it says, and how many were cut. */
  items: z.int(),
  left_out: z.int(),
  truncated: z.boolean(),
  /** Why it is not there, or what was taken out of it. */
  note: z.string().optional(),
  elapsed_ms: z.number().optional(),
  /** As it was sent; only where the whole context is asked for. */
  text: z.string().optional(),
})
export type ContextSection = z.infer<typeof contextSection>

export const shortlistedSkill = z.object({
  name: z.string(),
  description: z.string(),
  /** Whose folder it is in. */
  of: z.string(),
  score: z.number(),
  reasons: z.array(z.string()),
})
export type ShortlistedSkill = z.infer<typeof shortlistedSkill>

export const skillShortlist = z.object({
  skills: z.array(shortlistedSkill).max(8),
  /** Skills that there are beside these. */
  left_out: z.int(),
  status: sectionStatus,
})
export type SkillShortlist = z.infer<typeof skillShortlist>

export const planNode = z.object({
  id: z.string(),
  label: z.string(),
  /** Estimated work in seconds. */
  work: z.number(),
})
export type PlanNode = z.infer<typeof planNode>

/** Sub-tasks of a question, and whether they are worth being done side by side. */
export const taskGraph = z.object({
  decision: z.enum(['sequential', 'parallel']),
  /** The predicted speed-up: work over overhead and the longest way. */
  worthiness: z.number(),
  reasons: z.array(z.string()),
  nodes: z.array(planNode),
  /** From what has to be done before to what comes after. */
  edges: z.array(z.object({ from: z.string(), to: z.string() })),
  refined: z.boolean().optional(),
})
export type TaskGraph = z.infer<typeof taskGraph>

/** All that was sent with a message, section by section, and what was left out. */
export const sentContext = z.object({
  sections: z.array(contextSection),
  skills: skillShortlist,
  plan: taskGraph,
  template: z.string().nullable(),
  budget_tokens: z.int(),
})
export type SentContext = z.infer<typeof sentContext>
