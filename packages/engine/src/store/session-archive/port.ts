import type { Message, Result, Session, SessionAgent, SessionRef, UnreadPart } from '@panoptes/schema'

/** A message of the archive, or a part of its session that the source could not read. */
export type ArchiveRecord =
  | { readonly n: number; readonly message: Message }
  | { readonly skipped: UnreadPart }

/** Consecutive messages of a session, compressed. */
export interface ArchiveChunk {
  /** The position of its first message in the session. */
  readonly first: number
  readonly count: number
  /** Identifies its contents. A chunk with the hash that is stored at its position is not written again. */
  readonly hash: string
  /** Absent if the archive has this chunk already. */
  readonly data?: Uint8Array | undefined
  /** Images of its messages, which are stored once however many sessions contain them. */
  readonly images: readonly ArchivedImage[]
}

export interface ArchivedImage {
  readonly hash: string
  readonly data: string
}

/** A session that was read to its end, and the decision whether its messages are kept. */
export interface ArchivedSession {
  readonly id: string
  readonly place: string
  readonly fingerprint: string
  /** The fingerprint without the parts that depend on other sessions. */
  readonly own: string
  readonly parent_id: string | null
  readonly project: string | null
  readonly cwd: string | null
  /** True if the source had nothing but its prompts. */
  readonly prompts_only: boolean
  /** False for a session that the settings exclude, of which the archive has no messages. */
  readonly kept: boolean
  /** False if it was redacted with older rules than today's. */
  readonly clean: boolean
  /** False if the index has a newer version of it, which the archive does not keep. */
  readonly current: boolean
  /** When its source was first found without it; null while the source has it. */
  readonly gone_at: number | null
}

/** What the archive knows about a session besides its messages. Costs that depend on prices are not in it. */
export interface ArchiveHead {
  readonly session: Session
  readonly agents: readonly SessionAgent[]
}

/** A part of a session from the archive. */
export interface ArchivePage {
  readonly records: readonly ArchiveRecord[]
  /** Where the next page begins; null at the end. */
  readonly next: number | null
}

export interface ArchiveLimits {
  readonly before: number | null
  readonly maxBytes: number | null
  /** What else counts toward the size, and how much of it belongs to a session. */
  readonly beside?: { readonly total: number; bytes(session: SessionRef): number } | undefined
}

/** What the archive keeps of the sessions of one source. */
export interface ArchiveCount {
  readonly source: string
  readonly sessions: number
  /** How many of them their source no longer has. */
  readonly gone: number
  /** Further sessions of which only the prompts are kept. */
  readonly prompts_only: number
}

export interface ArchiveSize {
  readonly sessions: number
  /** Sessions whose source no longer has them. */
  readonly gone: number
  /** Bytes of compressed messages, and of images. */
  readonly bytes: number
  readonly image_bytes: number
}

/**
 * The messages of past sessions, redacted and compressed. It outlives the files of the agents, so that only
 * forgetting and retention remove a session from it. No method throws.
 */
export interface SessionArchive {
  list(source: string): Promise<Result<readonly ArchivedSession[]>>
  /** Returns undefined for a session of which the archive keeps no messages. */
  get(source: string, id: string): Promise<Result<ArchivedSession | undefined>>
  /** The hash of each stored chunk, by the position of its first message. */
  hashes(source: string, id: string): Promise<Result<ReadonlyMap<number, string>>>
  /** Returns null for a session that the archive does not keep. */
  head(source: string, id: string): Promise<Result<ArchiveHead | null>>
  /**
   * Reads the messages of one chunk from a position on; null if the archive does not keep the session or it is
   * shorter.
   */
  read(source: string, id: string, from: number): Promise<Result<ArchivePage | null>>
  size(): Promise<Result<ArchiveSize>>
  /** Counts the sessions of each source that has any. */
  counts(): Promise<Result<readonly ArchiveCount[]>>
  /**
   * Finds sessions that only the archive has and that exceed a limit, the oldest first: those last active
   * before a time, and as many more as the archive is too large.
   */
  expired(limits: ArchiveLimits): Promise<Result<readonly SessionRef[]>>
}
