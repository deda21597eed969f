import type { ToolCallExample } from '@panoptes/schema'
import type { Fields } from '../fields.ts'
import { cleanArguments, createHomeReplacer } from './arguments.ts'
import { boundValue, cleanText, MOST_EXAMINED } from './shorten.ts'

const MOST_OF_RESULT = 1_000
const MOST_OF_NAME = 128

export interface CleanExample {
  readonly example: ToolCallExample
  /** Number of secrets removed from it, here or before it was stored. */
  readonly removed: number
  /** Number of characters left out. */
  readonly leftOut: number
}

interface SuccessfulCall {
  readonly tool: string
  readonly input: Fields
  readonly result: { readonly text: string }
}

/** Makes examples that are safe to keep and share, given the user's home folder. */
export function createCleaner(home: string): (call: SuccessfulCall) => CleanExample {
  const general = createHomeReplacer(home)
  return ({ tool, input, result }) => {
    const args = cleanArguments(input, general)
    const answer = cleanText(result.text, MOST_OF_RESULT, general)
    return {
      example: {
        tool_name: tool.slice(0, MOST_OF_NAME).toWellFormed(),
        arguments: args.arguments,
        result: answer.text,
        success: true,
      },
      removed: args.removed + answer.removed + countRedactions(input, result.text),
      leftOut: args.leftOut + answer.leftOut,
    }
  }
}

const MARKER = /\[redacted:[\w-]+\]/g

/** On a hub, secrets were already redacted by the sender. */
const countRedactions = (input: Fields, text: string): number =>
  `${JSON.stringify(boundValue(input))}\n${text.slice(0, MOST_EXAMINED)}`.match(MARKER)?.length ?? 0
