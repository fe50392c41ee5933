/*
 * reasons: why a task ended, in one table. Code, docs/reasons.md and status texts come from it.
 *
 * X(name, category, retryable, meaning, cure)
 * - name: what stands in `status.reason`. Never renamed: programs switch on it.
 * - category: whose matter it is, `status.category`.
 * - retryable: the same task, sent again unchanged, may end differently. It says nothing about
 *   whether the code has run already; the meaning does.
 * - meaning: one sentence, for a person or a model that has never seen this system.
 * - cure: what to change, or to do.
 *
 * A Limit reason stands only where we did the killing or the Pod's status says so. What a program
 * merely met as an errno is NonZeroExit.
 */
#ifndef CORE_REASONS_H
#define CORE_REASONS_H

/* One row is easier to read by itself than what the formatter makes of it. */
/* clang-format off */
#define REASON_CATEGORIES(X) \
	X(Success) X(User) X(Limit) X(Input) X(Dependencies) X(Policy) X(Infrastructure)

#define REASONS(X) \
	X(Completed, Success, false, \
	  "The program ended with exit code 0.", \
	  "Nothing to do.") \
	\
	X(NonZeroExit, User, false, \
	  "The program ended by itself with an exit code other than 0.", \
	  "Read stderr; the exit code is in status.exitCode.") \
	X(KilledBySignal, User, false, \
	  "The program was ended by a signal that was not sent by us.", \
	  "Read stderr; the signal is in status.signal. SIGSEGV and SIGABRT mean a crash " \
	  "in native code.") \
	X(FunctionError, User, false, \
	  "The called function raised an error.", \
	  "Read status.error: its type, message and traceback.") \
	X(EntrypointNotFound, User, false, \
	  "The code has no function of the name in spec.entrypoint.", \
	  "Define the function at the top level of the code, or correct spec.entrypoint.") \
	X(InvalidResult, User, false, \
	  "The function returned something that JSON can't hold.", \
	  "Return only objects, lists, strings, finite numbers, true, false and null.") \
	X(Cancelled, User, false, \
	  "The task was cancelled by spec.cancel.", \
	  "Nothing to do.") \
	\
	X(RunTimeout, Limit, false, \
	  "The program ran longer than its budget and was killed; its output so far was " \
	  "kept.", \
	  "Make the program faster, or raise spec.timeouts.runSeconds.") \
	X(CPUTimeout, Limit, false, \
	  "The program used more CPU seconds than its class allows and was killed.", \
	  "Make the program do less, or use a class with a higher limit of CPU seconds.") \
	X(InstallTimeout, Limit, true, \
	  "Installing the dependencies took longer than its budget.", \
	  "Ask for fewer dependencies, or raise spec.timeouts.installSeconds.") \
	X(QueueTimeout, Limit, true, \
	  "The task waited for a free place longer than its budget.", \
	  "Send it again later, raise spec.timeouts.queueSeconds, or ask the " \
	  "administrator for more capacity.") \
	X(StartTimeout, Limit, true, \
	  "The sandbox was not up within its budget, and nothing more specific is known; " \
	  "the code was not started.", \
	  "Send it again, or raise spec.timeouts.startSeconds.") \
	X(OutOfMemory, Limit, false, \
	  "The sandbox needed more memory than its limit and was killed.", \
	  "Use less memory (files in /tmp count), or raise spec.resources.memory.") \
	X(OutputLimitExceeded, Limit, false, \
	  "The program wrote more output than allowed, and spec.output.onOverflow is " \
	  "Fail.", \
	  "Write less, raise spec.output, or let onOverflow be Truncate.") \
	X(FileSizeLimit, Limit, false, \
	  "The program was killed for writing a file larger than its class allows.", \
	  "Write smaller files, or use a class with a higher limit.") \
	\
	X(InvalidSpec, Input, false, \
	  "The task's spec breaks a rule; nothing was started.", \
	  "Correct the field, and create the task again.") \
	X(InvalidDependencies, Input, false, \
	  "The list of dependencies can't be understood; nothing was started.", \
	  "Correct the entry, and create the task again.") \
	X(DependencyNotAllowed, Input, false, \
	  "A dependency is not allowed by the class; nothing was started.", \
	  "Use an allowed package, or another class.") \
	X(InputTooLarge, Input, false, \
	  "The task's input is larger than a task can carry; nothing was started.", \
	  "Send less.") \
	X(SourceNotFound, Input, false, \
	  "An object that the spec takes its input from is not there; nothing was " \
	  "started.", \
	  "Create the object first, or correct its name.") \
	X(SourceChanged, Input, true, \
	  "The task's class, or an object that the spec takes its input from, changed while " \
	  "the task was being prepared; nothing was started.", \
	  "Send the task again.") \
	\
	X(DependencyNotFound, Dependencies, false, \
	  "The package index has no package, or no version of it, that fits a dependency.", \
	  "Correct the name or the version.") \
	X(DependencyConflict, Dependencies, false, \
	  "No set of versions satisfies all dependencies together.", \
	  "Loosen the versions that the install log names.") \
	X(DependencyInstallFailed, Dependencies, false, \
	  "A dependency was found but could not be installed.", \
	  "Read the install log; often there is no wheel for this platform.") \
	X(IndexUnavailable, Dependencies, true, \
	  "The package index did not answer.", \
	  "Send the task again later.") \
	\
	X(ClassNotFound, Policy, false, \
	  "The SandboxClass that the task names was not there within the start budget; " \
	  "nothing was started.", \
	  "Correct spec.sandboxClassName, or ask the administrator for the class.") \
	X(ClassNotAllowed, Policy, false, \
	  "The SandboxClass may not be used from this namespace; nothing was started.", \
	  "Use another class, or ask the administrator.") \
	X(LanguageNotSupported, Policy, false, \
	  "The SandboxClass has no runtime for this language or of this name; nothing was " \
	  "started.", \
	  "Use a runtime that the class has, or another class.") \
	X(LimitAboveMaximum, Policy, false, \
	  "The task asks for more than its class allows; nothing was started.", \
	  "Ask for less, or use another class.") \
	X(QueueFull, Policy, true, \
	  "Too many tasks are waiting already; nothing was started.", \
	  "Send the task again later, with growing pauses.") \
	X(PodRejected, Policy, true, \
	  "The cluster refused the sandbox's Pod, by quota, admission or the node; the " \
	  "code was not started.", \
	  "A quota may free itself; what a policy refuses needs the administrator.") \
	X(CapabilityMissing, Policy, false, \
	  "The task needs something that the image's runner can't do; nothing was " \
	  "started.", \
	  "Use a class with a newer runtime image.") \
	\
	X(ImagePullFailed, Infrastructure, true, \
	  "The image of the runtime could not be pulled; the code was not started.", \
	  "The administrator checks the image's name, the registry and the pull secrets " \
	  "of the class.") \
	X(Unschedulable, Infrastructure, true, \
	  "No node had room for the sandbox, or fits its class; the code was not started.", \
	  "Send it again later, ask for less in spec.resources, or add nodes.") \
	X(RuntimeUnavailable, Infrastructure, true, \
	  "The node could not make the sandbox: its container runtime failed; the code " \
	  "was not started.", \
	  "The administrator checks that the class's RuntimeClass exists and gVisor works " \
	  "on the nodes.") \
	X(IsolationUnverified, Infrastructure, false, \
	  "The sandbox could not prove the isolation that the class demands; the code was " \
	  "not sent.", \
	  "The administrator checks the runtime of the class.") \
	X(PodTampered, Infrastructure, false, \
	  "The sandbox's Pod is not the one that was planned: somebody made or changed " \
	  "it.", \
	  "The administrator finds out who may change Pods in that namespace.") \
	X(PodLost, Infrastructure, true, \
	  "The sandbox's Pod disappeared again and again before the code was started.", \
	  "Send the task again; the administrator looks for what deletes Pods.") \
	X(Evicted, Infrastructure, true, \
	  "The node or an administrator evicted the sandbox's Pod; the code may have run " \
	  "in part.", \
	  "Send the task again if running it twice is harmless.") \
	X(Preempted, Infrastructure, true, \
	  "The sandbox's Pod had to make room for a more important one; the code may have " \
	  "run in part.", \
	  "Send the task again if running it twice is harmless, or use a class with a " \
	  "higher priority.") \
	X(NodeLost, Infrastructure, true, \
	  "The node of the sandbox failed or was shut down; the code may have run in " \
	  "part.", \
	  "Send the task again if running it twice is harmless.") \
	X(RunnerFailed, Infrastructure, true, \
	  "The program in the sandbox that runs the code failed or stopped answering; the " \
	  "code may have run in part.", \
	  "Send the task again if running it twice is harmless; if it repeats, report it.") \
	X(Interrupted, Infrastructure, true, \
	  "The sandbox ended after the code may have started, and the outcome can't be " \
	  "known.", \
	  "Send the task again if running it twice is harmless.") \
	X(Internal, Infrastructure, false, \
	  "The controller could not handle this task because of a fault of its own.", \
	  "Report it, with the controller's log.")
/* clang-format on */

#endif
