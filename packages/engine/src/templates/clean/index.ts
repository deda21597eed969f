import type { ToolCallExample } from '@panoptes/schema'
import type { Fields } from '../fields.ts'
import { cleanArguments } from './arguments.ts'
import { bounded } from './bounded.ts'
import { homesGeneral } from './home-paths.ts'
import { cleanText, LOOKED_AT } from './text.ts'

const MOST_OF_RESULT = 1_000
const MOST_OF_NAME = 128

export interface CleanExample {
  readonly example: ToolCallExample
  /** Secrets that were taken out of it, here or before it was stored. */
  readonly removed: number
  /** Characters that were left out of it. */
  readonly leftOut: number
}

interface Worked {
  readonly tool: string
  readonly input: Fields
  readonly result: { readonly text: string }
}

/** Makes examples that may be kept and handed on, in the eyes of the person whose home this is. */
export function cleaner(home: string): (call: Worked) => CleanExample {
  const general = homesGeneral(home)
  return ({ tool, input, result }) => {
    const asked = cleanArguments(input, general)
    const answer = cleanText(result.text, MOST_OF_RESULT, general)
    return {
      example: {
        tool_name: tool.slice(0, MOST_OF_NAME).toWellFormed(),
        arguments: asked.arguments,
        result: answer.text,
        success: true,
      },
      removed: asked.removed + answer.removed + goneFrom(input, result.text),
      leftOut: asked.leftOut + answer.leftOut,
    }
  }
}

const MARKER = /\[redacted:[\w-]+\]/g

/** What a hub has was redacted where it came from. */
const goneFrom = (input: Fields, text: string): number =>
  `${JSON.stringify(bounded(input))}\n${text.slice(0, LOOKED_AT)}`.match(MARKER)?.length ?? 0
