import type { AuditEntry, Identity, Result, Role, Space, TeamToken, TeamUser } from '@panoptes/schema'

/** What is told once, when it is made; only its hash is kept. */
export interface MadeToken {
  readonly token: string
  readonly about: TeamToken
}

export interface TokenWish {
  readonly label: string
  readonly space: string
  readonly scope: TeamToken['scope']
  readonly role: Role
  readonly userId?: string | null | undefined
  readonly expiresAt?: number | null | undefined
}

export interface UserWish {
  readonly email: string
  readonly name?: string | undefined
}

export interface UserChange {
  readonly name?: string | undefined
  readonly disabled?: boolean | undefined
  /** `invalid` where they are in another space than this as well. */
  readonly onlyIn?: string | undefined
}

export interface AuditQuery {
  /** Null for what was done in no space. */
  readonly space?: string | null | undefined
  readonly actor?: string | undefined
  /** Also what is below it: `tokens` finds `tokens.create`. */
  readonly action?: string | undefined
  /** Only those before this one. */
  readonly before?: number | undefined
  readonly limit: number
}

export type AuditNote = Omit<AuditEntry, 'id' | 'ts'>

/** Why a secret is refused; to whoever sent it all of them look alike. */
export type Unknown = 'unknown' | 'expired' | 'revoked' | 'disabled'

/**
 * Who is in the team, in which spaces, and by which tokens; and what they did. It is shared by all hubs and is no part of any space's
 * ledger. No method throws.
 */
export interface Team {
  /** Spaces by name. */
  spaces(): Promise<Result<readonly Space[]>>
  /** `invalid` where there is one of this name. */
  createSpace(name: string): Promise<Result<Space>>
  /** With its tokens, sign-ins and roles; what it holds is dropped by `dropSpace`. The first one stays (`invalid`). */
  removeSpace(name: string): Promise<Result<null>>

  /** All of them with all their roles, or those of a space with their role in it alone; by address. */
  users(space?: string): Promise<Result<readonly TeamUser[]>>
  user(id: string): Promise<Result<TeamUser | null>>
  /** By address, without regard to case, or by what their provider calls them. */
  findUser(by: { readonly email: string } | { readonly subject: string }): Promise<Result<TeamUser | null>>
  /** `invalid` where there is one of this address. */
  createUser(wish: UserWish): Promise<Result<TeamUser>>
  changeUser(id: string, change: UserChange): Promise<Result<TeamUser>>
  /** What their provider of sign-ins calls them, so that another address is still theirs. Once: `invalid` for another name. */
  linkUser(id: string, subject: string): Promise<Result<null>>
  /** The next account with their address is theirs; their browsers sign in anew. */
  unlinkUser(id: string): Promise<Result<null>>
  /** Null takes them out of the space, and ends their tokens and sign-ins there; the last admin of a space stays (`invalid`). */
  setRole(userId: string, space: string, role: Role | null): Promise<Result<TeamUser>>
  /**
   * Out of every space; their tokens and sign-ins end. They stay known, in no space: so they do not come in by themselves again, and
   * have what is theirs when they are taken into a space anew. The last admin of a space stays.
   */
  removeUser(id: string): Promise<Result<null>>

  /** The newest first, also those that have ended. */
  tokens(space: string): Promise<Result<readonly TeamToken[]>>
  /** `invalid` where whose it is to be is not in the space. */
  createToken(wish: TokenWish): Promise<Result<MadeToken>>
  /** Of that space only: `not_found` otherwise. */
  revokeToken(space: string, id: string): Promise<Result<TeamToken>>
  /** The computer of this name has just sent something with the token. */
  sawHost(tokenId: string, host: string): Promise<Result<null>>
  /**
   * Null where the sessions of a home on a computer come with this token, else the label of the one they come with. The first that tells of
   * them takes and holds it, until that is revoked or expired; all tokens of one person hold it together.
   */
  holdTeller(telling: {
    readonly space: string
    readonly teller: string
    readonly tokenId: string
    /** Without it one only looks. */
    readonly take: boolean
  }): Promise<Result<string | null>>
  /** The next token that tells of sessions of a computer of this name holds it. How many homes there it was. */
  freeTeller(space: string, host: string): Promise<Result<number>>

  /** A browser's own secret, for one space; it ends by itself. */
  signIn(userId: string, space: string, untilMs: number): Promise<Result<string>>
  /** False where it was none, or had ended. */
  signOut(secret: string): Promise<Result<boolean>>
  /** Takes the sign-in of a browser to another space that the person is in. */
  moveSignIn(secret: string, space: string): Promise<Result<null>>

  /**
   * Who has this token or sign-in, with the role of now: a token of a person has never more than they have. Looked up by hash, so that
   * its time tells nothing.
   */
  identify(secret: string): Promise<Result<{ readonly identity: Identity } | { readonly refused: Unknown }>>

  /** 32 random bytes in base64url, the same for all hubs for good: they sign with it. */
  secret(): Promise<Result<string>>

  /** What was decided for all hubs, by name. */
  settings(): Promise<Result<Readonly<Record<string, string>>>>
  /** Null takes it out; false where there was none. */
  setSetting(name: string, value: string | null): Promise<Result<boolean>>

  note(entries: readonly AuditNote[]): Promise<Result<null>>
  /** The newest first. */
  audit(
    query: AuditQuery,
  ): Promise<Result<{ readonly entries: readonly AuditEntry[]; readonly next: number | null }>>
  /** Drops what is older; answers how many. */
  retainAudit(before: number): Promise<Result<number>>

  /** Whether the database answers and takes writes. */
  ping(): Promise<Result<null>>
  close(): Promise<void>
}
