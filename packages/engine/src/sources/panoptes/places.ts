import { resolvePaths } from '@panoptes/engine/home'

type Environment = Readonly<Record<string, string | undefined>>

/** The file that contains the conversations. */
export const storeFile = (env: Environment = process.env): string => resolvePaths(env).store

/** The place of a conversation names the file and its row. */
export const formatPlace = (path: string, id: string): string => `${path}#${id}`
