import { forgetAccount } from './accounts/index.ts'
import type { Forgetter } from './forget.ts'

/** What is kept of sessions beside the log. */
export const forgetters: readonly Forgetter[] = [forgetAccount]
