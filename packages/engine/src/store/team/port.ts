import type { AuditEntry, Identity, Result, Role, Space, TeamToken, TeamUser } from '@panoptes/schema'

/** A new token, whose secret is shown once. Only its hash is stored. */
export interface MadeToken {
  readonly token: string
  readonly about: TeamToken
}

export interface TokenRequest {
  readonly label: string
  readonly space: string
  readonly scope: TeamToken['scope']
  readonly role: Role
  readonly userId?: string | null | undefined
  readonly expiresAt?: number | null | undefined
}

export interface UserRequest {
  readonly email: string
  readonly name?: string | undefined
}

export interface UserChange {
  readonly name?: string | undefined
  readonly disabled?: boolean | undefined
  /** The space of the request. An error message names no other space. */
  readonly askedIn?: string | undefined
}

export interface AuditQuery {
  /** This is null for actions outside any space. */
  readonly space?: string | null | undefined
  readonly actor?: string | undefined
  /** This also matches actions below it: `tokens` finds `tokens.create`. */
  readonly action?: string | undefined
  /** This selects only entries before this one. */
  readonly before?: number | undefined
  readonly limit: number
}

export type AuditNote = Omit<AuditEntry, 'id' | 'ts'>

/** Tells why a secret is refused. The sender gets the same answer in every case. */
export type Unknown = 'unknown' | 'expired' | 'revoked' | 'disabled'

/**
 * The members of the team, their spaces, tokens and actions. All hubs share it, and it belongs to no space's
 * store. No method throws.
 */
export interface Team {
  /** Lists spaces by name. */
  spaces(): Promise<Result<readonly Space[]>>
  /** Fails with `invalid` when the name is taken. */
  createSpace(name: string): Promise<Result<Space>>
  /**
   * Removes the space with its tokens, sign-ins and roles; `dropSpace` drops its data. The first space cannot
   * be removed (`invalid`).
   */
  removeSpace(name: string): Promise<Result<null>>

  /**
   * Lists everyone with all their roles, or the members of a space with their role in it alone, by address.
   */
  users(space?: string): Promise<Result<readonly TeamUser[]>>
  /**
   * Returns a person as all spaces know them, or as one space does: since when they are in it and when they
   * were last there. The result is null when they are not in it.
   */
  user(id: string, space?: string): Promise<Result<TeamUser | null>>
  /** Finds a person by address, ignoring case, or by their subject at the sign-in provider. */
  findUser(by: { readonly email: string } | { readonly subject: string }): Promise<Result<TeamUser | null>>
  /** Fails with `invalid` when the address is taken. */
  createUser(wish: UserRequest): Promise<Result<TeamUser>>
  changeUser(id: string, change: UserChange): Promise<Result<TeamUser>>
  /**
   * Links a person to their subject at the sign-in provider, so that they stay the same person when their
   * address changes. It works once and fails with `invalid` for another subject.
   */
  linkUser(id: string, subject: string): Promise<Result<null>>
  /**
   * Removes the link. The next account with their address becomes theirs, and their browsers have to sign in
   * again.
   */
  unlinkUser(id: string): Promise<Result<null>>
  /**
   * Null removes the person from the space and ends their tokens and sign-ins there. The last admin of a
   * space cannot be removed (`invalid`).
   */
  setRole(userId: string, space: string, role: Role | null): Promise<Result<TeamUser>>
  /**
   * Removes a person from every space and ends their tokens and sign-ins. They stay known without a space:
   * they cannot rejoin on their own, and have their data again when they are added to a space. The last admin
   * of a space cannot be removed.
   */
  removeUser(id: string): Promise<Result<null>>

  /** Lists tokens, the newest first, including those that have ended. */
  tokens(space: string): Promise<Result<readonly TeamToken[]>>
  /** Fails with `invalid` when the owner is not in the space. */
  createToken(wish: TokenRequest): Promise<Result<MadeToken>>
  /** Revokes a token of this space. Fails with `not_found` for any other. */
  revokeToken(space: string, id: string): Promise<Result<TeamToken>>
  /** Records that the computer of this name has just sent data with the token. */
  sawHost(tokenId: string, host: string): Promise<Result<null>>
  /**
   * Tells which token uploads the sessions of a home folder on a computer: null for this token, otherwise the
   * other token's label. The first token that uploads them claims that role until it is revoked or expires.
   * All tokens of one person share it.
   */
  claimUploader(telling: {
    readonly space: string
    readonly uploader: string
    readonly tokenId: string
    /** With this, the call claims the role. Without it, the call only looks. */
    readonly take: boolean
  }): Promise<Result<string | null>>
  /**
   * Releases the role for all home folders of a computer of this name, so that the next token that uploads
   * its sessions claims it. Returns how many there were.
   */
  releaseUploaders(space: string, host: string): Promise<Result<number>>

  /** Creates a browser's own secret for one space. It expires on its own. */
  signIn(userId: string, space: string, untilMs: number): Promise<Result<string>>
  /** Returns false when there was no such sign-in or it had ended. */
  signOut(secret: string): Promise<Result<boolean>>
  /** Moves a browser's sign-in to another space that the person is in. */
  moveSignIn(secret: string, space: string): Promise<Result<null>>

  /**
   * Returns who has this token or sign-in, with their current role: a person's token never has more rights
   * than the person. The lookup uses a hash, so that its duration reveals nothing.
   */
  identify(secret: string): Promise<Result<{ readonly identity: Identity } | { readonly refused: Unknown }>>

  /** Returns 32 random bytes in base64url that all hubs share permanently to sign with. */
  secret(): Promise<Result<string>>

  /** Settings for all hubs, by name. */
  settings(): Promise<Result<Readonly<Record<string, string>>>>
  /** Null removes the setting. Returns false when there was none. */
  setSetting(name: string, value: string | null): Promise<Result<boolean>>

  note(entries: readonly AuditNote[]): Promise<Result<null>>
  /** Lists entries, the newest first. */
  audit(
    query: AuditQuery,
  ): Promise<Result<{ readonly entries: readonly AuditEntry[]; readonly next: number | null }>>
  /** Drops older entries and returns how many there were. */
  retainAudit(before: number): Promise<Result<number>>

  /** Checks whether the database answers and accepts writes. */
  ping(): Promise<Result<null>>
  close(): Promise<void>
}
