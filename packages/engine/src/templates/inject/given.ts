import type { SessionTemplate } from '@panoptes/schema'

/** A message of a conversation, in whatever format its provider has. */
export type Given = Readonly<Record<string, unknown>>

/** An example as every provider takes it. */
export interface GivenExample {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
}

const LONGEST_NAME = 64

/** What of a template can be given: calls that worked, under names that providers take. */
export const givenExamples = ({ examples }: SessionTemplate): readonly GivenExample[] =>
  examples
    .filter(({ success }) => success)
    .map((example) => ({
      name: nameOf(example.tool_name),
      input: example.arguments,
      result: example.result.toWellFormed(),
    }))

const nameOf = (tool: string): string =>
  tool.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, LONGEST_NAME) || 'tool'

/** The words that open it, as its file names it. */
export const headingOf = ({ name, task_type }: SessionTemplate): string =>
  `Session template: ${name} (${task_type})\nExamples of successful tool calls from previous sessions:`
